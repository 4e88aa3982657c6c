"""The JSON API of the page: one module for each kind of resource."""
