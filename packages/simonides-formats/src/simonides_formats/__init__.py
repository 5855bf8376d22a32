"""The rarer file formats that simonides imports, each as the readers of a family of formats.

Known to simonides by the plugin alone, as anybody's formats would be.
"""
