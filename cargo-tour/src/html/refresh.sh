#!/bin/sh
# Fetches the libraries of the HTML report again, in the versions named here, from the npm registry.
# All are under the MIT licence; their licence texts stand beside them in `assets`.
set -eu
cd "$(dirname "$0")"
CYTOSCAPE=3.34.4
CYTOSCAPE_DAGRE=4.0.1
DAGRE=3.1.1
UPLOT=1.6.32
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
get() { # name, version, file of the package, file in assets
    if [ ! -d "$work/$1@$2" ]; then
        mkdir -p "$work/$1@$2"
        (cd "$work/$1@$2" && npm pack --silent "$1@$2" >/dev/null && tar xzf ./*.tgz)
    fi
    grep -v '^//# sourceMappingURL' "$work/$1@$2/package/$3" > "assets/$4"
}
get cytoscape "$CYTOSCAPE" dist/cytoscape.min.js cytoscape.min.js
get cytoscape "$CYTOSCAPE" LICENSE LICENSE-cytoscape
get cytoscape-dagre "$CYTOSCAPE_DAGRE" dist/cytoscape-dagre.min.js cytoscape-dagre.min.js
get cytoscape-dagre "$CYTOSCAPE_DAGRE" LICENSE LICENSE-cytoscape-dagre
get @dagrejs/dagre "$DAGRE" LICENSE LICENSE-dagre
get uplot "$UPLOT" dist/uPlot.iife.min.js uPlot.iife.min.js
get uplot "$UPLOT" dist/uPlot.min.css uPlot.min.css
get uplot "$UPLOT" LICENSE LICENSE-uplot
