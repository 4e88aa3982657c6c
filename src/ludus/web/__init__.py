"""The web page: a server on this machine, its JSON API, and the page that uses it (docs/web.md)."""
