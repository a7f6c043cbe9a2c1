"""Sphinx builds the site from these Markdown pages: make docs."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

project = "boundkit"
author = "The boundkit authors"
copyright = author

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "sphinx_copybutton",
    "boundkit_site",  # docs/_ext: MathML, and what is generated
]

root_doc = "index"
exclude_patterns = ["_ext"]
myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline", "attrs_block", "deflist"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
suppress_warnings = ["config.cache"]  # the functions of the renderer are no values to be pickled

nitpicky = True
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
toc_object_entries_show_parents = "hide"
maximum_signature_line_length = 90
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "boundkit"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
html_sidebars = {page: [] for page in ("index", "tutorial", "figures", "about")}  # nothing is below them
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"
