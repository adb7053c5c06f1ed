# Copyright (c) 2026, modelops.inference contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Authentication options, shared by every module that talks to a cluster."""

from __future__ import annotations


class ModuleDocFragment:
    """The options and variables of kubernetes.core, so users need not learn new ones."""

    DOCUMENTATION = r"""
options:
  kubeconfig:
    description:
      - Where the cluster and the credentials are described - a path, or the content as a dictionary.
      - Also read from the environment variable E(K8S_AUTH_KUBECONFIG). Without it, and without O(host), the files named in
        E(KUBECONFIG) are used, then C(~/.kube/config), then the service account of the pod that Ansible runs in.
    type: raw
  context:
    description:
      - The context of the kubeconfig to use instead of its current one.
      - Also read from the environment variable E(K8S_AUTH_CONTEXT).
    type: str
  host:
    description:
      - The URL of the API server. With it, no kubeconfig is read.
      - Also read from the environment variable E(K8S_AUTH_HOST).
    type: str
  api_key:
    description:
      - A bearer token.
      - Also read from the environment variable E(K8S_AUTH_API_KEY).
    type: str
  username:
    description:
      - The user name for servers, or proxies in front of them, that take basic authentication.
      - Also read from the environment variable E(K8S_AUTH_USERNAME).
    type: str
  password:
    description:
      - The password that belongs to O(username).
      - Also read from the environment variable E(K8S_AUTH_PASSWORD).
    type: str
  client_cert:
    description:
      - Path of a client certificate in PEM form.
      - Also read from the environment variable E(K8S_AUTH_CERT_FILE).
    type: path
    aliases:
      - cert_file
  client_key:
    description:
      - Path of the private key that belongs to O(client_cert).
      - Also read from the environment variable E(K8S_AUTH_KEY_FILE).
    type: path
    aliases:
      - key_file
  ca_cert:
    description:
      - Path of the certificate authority, in PEM form, that the server's certificate is checked against.
      - Also read from the environment variable E(K8S_AUTH_SSL_CA_CERT).
    type: path
    aliases:
      - ssl_ca_cert
  validate_certs:
    description:
      - Whether the server's certificate is checked. By default, the kubeconfig decides.
      - Also read from the environment variable E(K8S_AUTH_VERIFY_SSL).
    type: bool
    aliases:
      - verify_ssl
  proxy:
    description:
      - URL of an HTTP proxy through which the API server is reached.
      - Also read from the environment variable E(K8S_AUTH_PROXY).
    type: str
  no_proxy:
    description:
      - Comma-separated hosts, domains and networks that are reached without O(proxy).
      - Also read from the environment variable E(K8S_AUTH_NO_PROXY).
    type: str
  proxy_headers:
    description:
      - Headers for the proxy itself.
    type: dict
    suboptions:
      proxy_basic_auth:
        description:
          - User and password for the proxy, joined by a colon.
          - Also read from the environment variable E(K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH).
        type: str
      basic_auth:
        description:
          - User and password for the server behind the proxy, joined by a colon.
          - Also read from the environment variable E(K8S_AUTH_PROXY_HEADERS_BASIC_AUTH).
        type: str
      user_agent:
        description:
          - The user agent that the proxy sees.
          - Also read from the environment variable E(K8S_AUTH_PROXY_HEADERS_USER_AGENT).
        type: str
  impersonate_user:
    description:
      - The user to act as.
      - Also read from the environment variable E(K8S_AUTH_IMPERSONATE_USER).
    type: str
  impersonate_groups:
    description:
      - The groups to act as.
      - Also read from the environment variable E(K8S_AUTH_IMPERSONATE_GROUPS), comma-separated.
    type: list
    elements: str
"""
