"""Write the icons of the page as phones want them: PNG files of the SVG, its ground reaching to the edges.

`python tests/write_icons.py` writes them all anew.
"""

from playwright.sync_api import sync_playwright
from web_server import CHROMIUM

from ludus.web.server import STATIC

ASSETS = STATIC / "assets"
SIZES = (180, 192, 512)


if __name__ == "__main__":
    drawing = (ASSETS / "icon.svg").read_text().replace('rx="8" ', "")
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]).new_page()
        for size in SIZES:
            page.set_viewport_size({"width": size, "height": size})
            page.set_content(f'<body style="margin:0">{drawing.replace("<svg ", "<svg style=display:block ")}')
            page.screenshot(path=ASSETS / f"icon-{size}.png")
