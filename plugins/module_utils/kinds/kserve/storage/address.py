# SPDX-License-Identifier: GPL-3.0-or-later
"""The form of a model's address, by its scheme: what KServe's initializer cannot read, or reads otherwise than it looks.

Source: KServe python/storage/kserve_storage/kserve_storage.py@v0.17.0; huggingface_hub's rules for the name of a repository; botocore's for
the name of a bucket, and the pages Bucket naming rules of Amazon S3, About Cloud Storage buckets of Google, and Naming and referencing
containers, blobs, and metadata of Azure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ....kube.names import check_dns_subdomain

_HUB = re.compile(r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/")
#: What follows the name of a repository on a page of the hub.
_PAGES = ("tree", "blob", "resolve", "raw")
#: Under which the hub serves a file, and not a page.
_FILES = ("resolve", "raw")
#: Pages of a repository of GitHub, and the hosts at which Google shows buckets to those who are signed in.
_GITHUB = "github.com"
_OF_GITHUB = re.compile(r"(?P<repository>[^/]+/[^/]+)/(?P<what>blob|tree)/(?P<rest>.+)")
_GOOGLE = ("storage.cloud.google.com", "console.cloud.google.com")
_OF_GOOGLE = re.compile(r"(?:storage/browser/(?:_details/)?)?(?P<rest>.+)")
#: A bucket of Amazon by its host name.
_AMAZON = re.compile(r"(?P<bucket>[a-z0-9.-]+)\.s3[.-](?:[a-z0-9-]+\.)?amazonaws\.com")
#: The host of a service of buckets, written where the bucket belongs.
_SERVICES = re.compile(
    r"((?P<bucket>.+)\.)?(s3([.-][a-z0-9.-]+)?\.amazonaws\.com|storage\.googleapis\.com|storage\.cloud\.google\.com)"
)
#: Under which a container or a share is fetched as a whole.
_AZURE = re.compile(r"(?P<account>[^.]+)\.(?P<what>blob|file)\.core\.windows\.net")
_LARGEST_PORT = 65535
_BLANK = "%20"
_DIGEST = re.compile(r"[a-z0-9+._-]+:[0-9a-fA-F]+")
_OF_REPOSITORIES = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_BUCKET = re.compile(r"[A-Za-z0-9._-]{1,255}")
#: Names that a service gives to buckets, by scheme: more can be asked for than there can be.
_GIVEN = {
    "s3": (
        re.compile(r"(?!.*\.\.)(?=.{1,63}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?"),
        'S3 gives buckets names of lower-case letters, digits, "." and "-", up to 63, which begin and end with a letter or digit',
    ),
    "gs": (
        re.compile(r"(?!.*\.\.)(?=.{1,222}$)[a-z0-9]([a-z0-9._-]*[a-z0-9])?"),
        'Google gives buckets names of lower-case letters, digits, ".", "_" and "-", which begin and end with a letter or digit',
    ),
}
_ACCOUNT = re.compile(r"[a-z0-9]{3,24}")
_CONTAINER = re.compile(r"\$(root|web)|(?!.*--)(?=.{1,63}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?")
_PARTS = 2
#: The beginning of an address as people mistype it: `pvc:claim`, `s3:/bucket`, `hf//owner`.
_MISTYPED = re.compile(r"(?P<scheme>hf|s3|gs|pvc|oci|https?|hdfs)(?::/{0,3}|//)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AddressFault:
    """What is wrong with an address. finds: the fact. fix: what to write. fatal: nothing is fetched with it."""

    finds: str
    fix: str
    fatal: bool = True


def without_quotes(uri: str) -> str:
    """Return what is between the quotes of an address that was quoted twice, empty where it has none."""
    quoted = len(uri) > _PARTS and uri[0] == uri[-1] and uri[0] in "\"'"
    return uri[1:-1] if quoted else ""


def address_fault(uri: str) -> AddressFault | None:
    """Return what is wrong with the form of an address, None for one that can be read or whose scheme has no form."""
    if any(mark.isspace() for mark in uri):
        if "{{" in uri:
            return AddressFault(
                "holds a template, which nobody fills in", "put the value of the variable in before"
            )
        return AddressFault("has a blank in it, and no address has", "write it without")
    scheme, separator, rest = uri.partition("://")
    # KServe writes the blank of an LLMInferenceService so, and nobody but a web server reads it as one.
    if _BLANK in rest and scheme not in ("http", "https"):
        finds = f"has a blank in it, written as {_BLANK}"
        return AddressFault(finds, "write it without", fatal=scheme == "hf")
    if uri and not separator and not uri.startswith("/"):
        finds = (
            "names no scheme, so it is read as a folder of the init container, where no model is"
        )
        return AddressFault(finds, f"write {_with_scheme(uri)}", fatal=False)
    if scheme == "file":
        finds = "is a folder of the init container, where no model is"
        return AddressFault(finds, "write the address of a bucket, a claim or a hub", fatal=False)
    judge = _FORMS.get(scheme) if separator else None
    return judge(scheme, rest) if judge is not None else None


def _hugging_face(dummy: str, rest: str) -> AddressFault | None:
    parts = _HUB.sub("", rest).split("/")
    owner, name = parts[0], parts[1].partition(":")[0] if len(parts) > 1 else ""
    if rest.count("/") != 1:
        number = rest.count("/") + 1
        what = "1 part" if number == 1 else f"{number} parts"
        finds = f"has {what} after hf://, and hf:// takes owner/model, with :revision behind it where one is meant"
        return AddressFault(finds, _repository(owner, name, parts[_PARTS:]))
    if not owner or not name:
        what = "owner" if not owner else "model"
        return AddressFault(f"names no {what}", "write hf://owner/model")
    for what, said in (("owner", owner), ("model", name)):
        if not _OF_REPOSITORIES.fullmatch(said):
            finds = f'names the {what} "{said}", and names on the hub have letters, digits, ".", "_" and "-"'
            near, mark, revision = said.partition("@")
            way = f"hf://{owner}/{near}:{revision}" if mark else "hf://owner/model"
            return AddressFault(finds, f"write {way}")
    return None


def _repository(owner: str, name: str, more: list[str]) -> str:
    """Return what to write instead. more: what follows the name of the repository."""
    if not name:
        return "name the owner, too" if owner else "write hf://owner/model"
    page = bool(more) and more[0] in _PAGES and len(more) > 1
    revision = f":{more[1]}" if page else ""
    whole = (
        ""
        if page or not any(more)
        else ", which is fetched as a whole, and the file in the engine's arguments"
    )
    return f"write hf://{owner}/{name}{revision}{whole}"


def _bucket(scheme: str, rest: str) -> AddressFault | None:
    bucket, dummy, key = rest.partition("/")
    if not bucket:
        return AddressFault("names no bucket", f"write {scheme}://bucket/key")
    if not _BUCKET.fullmatch(bucket):
        finds = f'names the bucket "{bucket}", and names of buckets have letters, digits, ".", "_" and "-"'
        return AddressFault(
            finds, f"write {scheme}://bucket/key, and give the endpoint with the credentials"
        )
    service = _SERVICES.fullmatch(bucket)
    if service is not None:
        path = f"{service['bucket']}/{key}" if service["bucket"] else key or "bucket/key"
        finds = f"names the host {bucket}, where the bucket belongs"
        return AddressFault(finds, f"write {scheme}://{path}")
    given, says = _GIVEN[scheme]
    if not given.fullmatch(bucket):
        way = f"write the name that the bucket has, as in {scheme}://bucket/key"
        return AddressFault(f'names the bucket "{bucket}", and {says}', way, fatal=False)
    if not key.strip("/"):
        finds = f"names no key, so everything in the bucket {bucket} is fetched"
        return AddressFault(finds, f"write {scheme}://{bucket}/key", fatal=False)
    if scheme == "s3" and any(mark in key for mark in "?#"):
        read = re.split("[?#]", key)[0]
        finds = f'has "{key[len(read) :]}" behind its key, which is left out'
        return AddressFault(finds, f"write s3://{bucket}/{read}", fatal=False)
    return None


def _web(scheme: str, rest: str) -> AddressFault | None:
    """Return what is wrong with the address of a file: whoever fetches it calls it by the last part of its path."""
    address = f"{scheme}://{rest}"
    host, dummy, path = re.split("[?#]", rest)[0].partition("/")
    port = host.rpartition("@")[2].partition(":")[2]
    if not host:
        return AddressFault("names no host", f"write {scheme}://host/file")
    if port and (not port.isdecimal() or int(port) > _LARGEST_PORT) and "[" not in host:
        return AddressFault(
            f'names the port "{port}", which is none', f"write {scheme}://host:port/file"
        )
    if _HUB.match(address) and not set(path.split("/")) & set(_FILES):
        parts = path.strip("/").split("/")
        owner, name = parts[0], parts[1] if len(parts) > 1 else ""
        way = _repository(owner, name, parts[_PARTS:])
        return AddressFault("is a page of the hub, and the page itself would be fetched", way)
    page = _page(host, path)
    if page is not None:
        return page
    azure = _AZURE.fullmatch(host)
    if azure is not None:
        return _of_azure(azure, path)
    if not path.rpartition("/")[2]:
        bucket = _AMAZON.fullmatch(host)
        way = f"s3://{bucket['bucket']}/{path}" if bucket else f"{scheme}://{host}/file"
        return AddressFault("names no file", f"write {way}")
    return None


def _page(host: str, path: str) -> AddressFault | None:
    """Return what to write in place of a page about a file or a bucket, which people see in their browser."""
    finds = "is a page for people, and the page itself would be fetched"
    if host == _GITHUB and (found := _OF_GITHUB.fullmatch(path)):
        if found["what"] == "blob":
            raw = f"https://raw.githubusercontent.com/{found['repository']}/{found['rest']}"
            return AddressFault(finds, f"write {raw}")
        return AddressFault(finds, "write the address of one file under raw.githubusercontent.com")
    if host in _GOOGLE and (found := _OF_GOOGLE.fullmatch(path)):
        return AddressFault(finds, f"write gs://{found['rest']}")
    return None


def _of_azure(host: re.Match[str], path: str) -> AddressFault | None:
    """Return what is wrong with the account, the container or the share of an address of Azure."""
    container = path.partition("/")[0]
    what = "container" if host["what"] == "blob" else "share"
    way = f"write https://account.{host['what']}.core.windows.net/{what}/folder"
    if not container:
        return AddressFault(f"names no {what}", way)
    if not _ACCOUNT.fullmatch(host["account"].lower()):
        finds = f'names the account "{host["account"]}", and Azure gives accounts names of 3 to 24 letters and digits'
        return AddressFault(finds, way)
    if not _CONTAINER.fullmatch(container):
        finds = f'names the {what} "{container}", and Azure gives names of up to 63 lower-case letters, digits and single "-"'
        return AddressFault(finds, way)
    return None


def _somewhere(scheme: str, rest: str) -> AddressFault | None:
    return (
        None
        if rest.strip("/")
        else AddressFault("names no folder", f"write {scheme}://host/folder")
    )


def _claim(dummy: str, rest: str) -> AddressFault | None:
    claim = rest.partition("/")[0]
    if not claim:
        return AddressFault("names no claim", "write pvc://claim/folder")
    fault = check_dns_subdomain(claim)
    if fault:
        return AddressFault(f"cannot be a claim: {fault}", "write pvc://claim/folder")
    return None


def _image(dummy: str, rest: str) -> AddressFault | None:
    if not rest:
        return AddressFault("names no image", "write oci://registry/repository:tag")
    if "://" in rest:
        return AddressFault("names its scheme twice", f"write oci://{rest.partition('://')[2]}")
    name, at, digest = rest.partition("@")
    if (at and not _DIGEST.fullmatch(digest)) or name.endswith((":", "/")):
        finds = f'is no name of an image: "{digest or name[-1]}" is neither a tag nor a digest'
        return AddressFault(finds, "write oci://registry/repository:tag")
    return None


def _with_scheme(uri: str) -> str:
    """Return how an address without a scheme was meant."""
    mistyped = _MISTYPED.match(uri)
    if mistyped:
        return f"{mistyped['scheme'].lower()}://{uri[mistyped.end() :]}"
    return f"s3://{uri.lstrip('/')}, hf://{uri.lstrip('/')} or the like"


_FORMS = {
    "hf": _hugging_face,
    "s3": _bucket,
    "gs": _bucket,
    "pvc": _claim,
    "oci": _image,
    "http": _web,
    "https": _web,
    "hdfs": _somewhere,
    "webhdfs": _somewhere,
}
