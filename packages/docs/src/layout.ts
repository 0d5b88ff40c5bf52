/** The frame of every page. It is whole without scripts: they add searching, copying and the switch of the theme. */
import { base, pathOf, twinOf } from './address.ts'
import { escaped } from './escape.ts'
import { mark } from './mark.ts'
import type { Heading } from './markdown.ts'
import { sidebar } from './sidebar.ts'
import { type Page, type Place, pagesOf, type Tree } from './tree.ts'

/** Addresses of built files. */
export type Assets = {
  readonly style: string
  readonly script: string
  /** Runs before anything is drawn, so that no page flashes in the other theme. */
  readonly theme: string
  readonly icon: string
  readonly searchIndex: string
}

export type Frame = { readonly assets: Assets; readonly tree: Tree }

/** A page of Markdown. */
export function articleOf(frame: Frame, page: Page): string {
  const place = frame.tree.places.find(({ entries }) => entries.flatMap(pagesOf).includes(page))
  const outline = page.headings.filter(({ level }) => level === 2 || level === 3)
  const main = `<article>
${crumbs(page, place)}<h1>${page.titleHtml}</h1>
${shortOutline(outline)}${page.parts.join('')}</article>
${neighbours(frame.tree, page)}<p class="source">Made from <code>${page.source}</code>. <a href="${twinOf(page.address)}">This page as Markdown</a></p>`
  return documentOf(frame, { ...page, main, aside: longOutline(outline) })
}

/** The first page: what this is, and a way in for everybody. */
export function homeOf(frame: Frame, page: Page): string {
  const [opening = '', ...ways] = page.parts
  const main = `<article class="home">
<h1>${page.titleHtml}</h1>
<div class="lead">${opening}</div>
<div class="ways">
${ways.map((way) => `<section>${way}</section>`).join('\n')}
</div></article>`
  return documentOf(frame, { ...page, title: 'Documentation', main, aside: '' })
}

export function missingOf(frame: Frame): string {
  const title = 'There is no such page'
  const main = `<article><h1>${title}</h1>
<p>The address may be mistyped, or from another version. Search for what you need, or begin at the
<a href="${base}/">first page</a>.</p></article>`
  return documentOf(frame, { address: null, title, description: title, main, aside: '' })
}

type Content = {
  readonly address: string | null
  readonly title: string
  readonly description: string
  readonly main: string
  readonly aside: string
}

function documentOf({ assets, tree }: Frame, { address, title, description, main, aside }: Content): string {
  const twin =
    address === null ? '' : `\n<link rel="alternate" type="text/markdown" href="${twinOf(address)}">`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Switchyard</title>
<meta name="description" content="${escaped(description.slice(0, 300))}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">${twin}
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.theme}"></script>
<script type="module" src="${assets.script}" data-search-index="${assets.searchIndex}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="top">
<a class="menu" href="#navigation">Menu</a>
<a class="brand" href="${base}/">${mark}<span>Switchyard</span> <span class="what">Documentation</span></a>
<button class="search" type="button" data-act="search" hidden><span>Search</span> <kbd>/</kbd></button>
<button class="theme" type="button" data-act="theme" hidden></button>
</header>
<div class="frame">
<nav id="navigation" class="sections" aria-label="Documentation">
<a class="close" href="#content">Close the menu</a>
${sidebar(tree, address)}
</nav>
<main id="content" tabindex="-1">
${main}
</main>
${aside}</div>
</body>
</html>
`
}

function crumbs(page: Page, place: Place | undefined): string {
  if (place === undefined) return ''
  const branch = place.entries.find((entry) => !('source' in entry) && entry.pages.includes(page))
  const index = branch !== undefined && 'index' in branch ? branch.index : null
  const group = index === null ? '' : ` / <a href="${pathOf(index.address)}">${escaped(index.title)}</a>`
  return `<p class="crumbs">${escaped(place.title)}${group}</p>\n`
}

function longOutline(outline: readonly Heading[]): string {
  if (outline.length < 2) return ''
  return `<nav class="outline" aria-label="On this page">
<p>On this page</p>
${listOf(outline)}
</nav>
`
}

/** For screens that have no room beside the text. */
function shortOutline(outline: readonly Heading[]): string {
  const parts = outline.filter(({ level }) => level === 2)
  if (parts.length < 3) return ''
  return `<details class="outline-short"><summary>On this page</summary>\n${listOf(parts)}\n</details>\n`
}

function listOf(headings: readonly Heading[]): string {
  const items = headings.map(({ level, id, html }) => {
    // A link inside a link is none.
    const words = html.replaceAll(/<\/?a\b[^>]*>/g, '')
    return `<li class="level-${level}"><a href="#${id}">${words}</a></li>`
  })
  return `<ul>${items.join('')}</ul>`
}

function neighbours({ places }: Tree, page: Page): string {
  const order = places.flatMap(({ entries }) => entries.flatMap(pagesOf))
  const at = order.indexOf(page)
  const [before, after] = at === -1 ? [] : [order[at - 1], order[at + 1]]
  const link = (to: Page | undefined, rel: string, word: string) =>
    to === undefined
      ? ''
      : `<a rel="${rel}" href="${pathOf(to.address)}"><span>${word}</span> ${to.titleHtml.replaceAll(/<\/?a\b[^>]*>/g, '')}</a>`
  return `<nav class="neighbours" aria-label="Before and after">${link(before, 'prev', 'Before')}${link(after, 'next', 'Next')}</nav>\n`
}
