# The documents that are installed, laid out as here so that their links hold, and all of them as
# pages: "make html", which needs pandoc.
dist_ompddoc_DATA += README.md STABILITY.md
ompdpagesdir = $(ompddocdir)/doc
dist_ompdpages_DATA = doc/cheat-sheet.md doc/ci.md doc/debugger-authors.md doc/faq.md doc/manual.md \
	doc/tool-authors.md doc/tutorial.md doc/why.svg
EXTRA_DIST += doc/html.css doc/make_html.py
html-local:
	@test -n '$(PANDOC)' || { \
		echo 'make html needs pandoc (Debian: pandoc); then run configure again.' >&2; exit 1; }
	$(AM_V_GEN)rm -rf html && $(PYTHON) $(srcdir)/doc/make_html.py '$(PANDOC)' html
clean-local: clean-html
.PHONY: clean-html
clean-html:
	rm -rf html
