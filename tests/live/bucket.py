# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An S3 server with a model and a user who may read it: `python -m tests.live.bucket ADDRESS PORT FOLDER`.

The server is moto's, which checks signatures and policies. It runs where its packages are, not among those of the tests; the user's keys are in
`keys.json` of the folder once everything is there.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

#: The models, and a bucket that the user may not read. A cache serves every service of its address, so that it has a model of its own.
BUCKET, DENIED, MODEL, CACHED_MODEL = "models", "others", "chat", "cached"
REGION = "us-east-1"
KEYS = "keys.json"
#: What the files of the model say, so that whoever serves them shows where they are from.
CONFIG = {"architectures": ["FromBucket"]}
_ARN = "arn:aws:s3:::"


def _policy() -> str:
    objects = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": f"{_ARN}{BUCKET}/*"}
    # Amazon asks for ListBucket where moto asks for HeadBucket.
    actions = ["s3:ListBucket", "s3:HeadBucket"]
    listing = {"Effect": "Allow", "Action": actions, "Resource": f"{_ARN}{BUCKET}"}
    return json.dumps({"Version": "2012-10-17", "Statement": [objects, listing]})


def _fill(session: Any, endpoint: str) -> dict[str, str]:
    """Make buckets, a model and a user, and return the user's keys."""
    s3, iam = (session.client(name, endpoint_url=endpoint) for name in ("s3", "iam"))
    for bucket in (BUCKET, DENIED):
        s3.create_bucket(Bucket=bucket)
        for model in (MODEL, CACHED_MODEL):
            body = json.dumps(CONFIG).encode()
            s3.put_object(Bucket=bucket, Key=f"{model}/config.json", Body=body)
    iam.create_user(UserName="reader")
    iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=_policy())
    made = iam.create_access_key(UserName="reader")["AccessKey"]
    return {
        "AWS_ACCESS_KEY_ID": made["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": made["SecretAccessKey"],
    }


def main() -> None:
    """Serve until ended."""
    import boto3  # type: ignore[import-not-found]  # in a folder of its own
    import requests
    from moto.server import ThreadedMotoServer  # type: ignore[import-not-found]

    address, port, folder = sys.argv[1:]
    endpoint = f"http://{address}:{port}"
    ThreadedMotoServer(ip_address=address, port=int(port), verbose=False).start()
    session = boto3.Session("root", "root", region_name=REGION)
    keys = _fill(session, endpoint)
    # From here on nothing is allowed that no policy allows.
    requests.post(f"{endpoint}/moto-api/reset-auth", data=b"0", timeout=10).raise_for_status()
    made = Path(folder, "keys.new")
    made.write_text(json.dumps(keys), encoding="utf-8")
    made.replace(Path(folder, KEYS))
    signal.pause()


if __name__ == "__main__":
    main()
