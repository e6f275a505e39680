"""What the page asks for beside the releases: samples to look at, facts about words, maps, sizes, a frontier.

None of it is a release. Samples are for eyes that know the text already: docs/page.md says who may have them, and why.
"""
