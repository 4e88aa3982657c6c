"""Visitors: who asks, where other devices reach this server, and addresses as codes that a phone reads."""

from __future__ import annotations

from io import BytesIO
from typing import Annotated

import segno
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel

from ludus.errors import LudusError
from ludus.web.access import Role, is_from_here

router = APIRouter(tags=["visitors"])
_LONGEST = 300


class Visitor(BaseModel):
    """Who asks; `is_here`: from the machine that serves.

    `address`: where other devices in the network reach this server, null if they do not.
    """

    role: Role
    is_here: bool
    address: str | None


@router.get("/me")
def me(request: Request) -> Visitor:
    """The role of whoever asks: the owner may do everything, a guest only play."""
    address = request.app.state.address
    return Visitor(role=request.state.role, is_here=is_from_here(request.scope), address=address)


@router.get("/code", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
def code(text: Annotated[str, Query(min_length=1, max_length=_LONGEST, description="What the code says.")]) -> Response:
    """A text as a QR code, in SVG."""
    picture = BytesIO()
    try:
        segno.make(text, micro=False).save(picture, kind="svg", border=2, light="#fff", dark="#000", xmldecl=False)
    except (ValueError, UnicodeError):
        raise LudusError("this text does not fit a code") from None
    return Response(picture.getvalue(), media_type="image/svg+xml")
