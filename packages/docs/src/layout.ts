/** The layout of every page. It works without scripts, which add search, copy buttons and the theme switch. */
import { base, markdownUrlOf, pathOf } from './address.ts'
import { escapeHtml } from './escape.ts'
import { logo } from './logo.ts'
import type { Heading } from './markdown.ts'
import { sidebar } from './sidebar.ts'
import { type Page, pagesOf, type Tree, type TreeSection } from './tree.ts'

/** The URLs of built files. */
export type Assets = {
  readonly style: string
  readonly script: string
  /** Runs before the first paint, so that the page does not flash in the wrong theme. */
  readonly theme: string
  readonly icon: string
  readonly searchIndex: string
}

export type Frame = { readonly assets: Assets; readonly tree: Tree }

/** A Markdown page. */
export function articlePage(frame: Frame, page: Page): string {
  const section = frame.tree.sections.find(({ entries }) => entries.flatMap(pagesOf).includes(page))
  const outline = page.headings.filter(({ level }) => level === 2 || level === 3)
  const main = `<article>
${crumbs(page, section)}<h1>${page.titleHtml}</h1>
${shortOutline(outline)}${page.parts.join('')}</article>
${neighbours(frame.tree, page)}<p class="source">Source: <code>${page.source}</code>. <a href="${markdownUrlOf(page.address)}">This page as Markdown</a></p>`
  return renderDocument(frame, { ...page, main, aside: longOutline(outline) })
}

/** The home page. */
export function homePage(frame: Frame, page: Page): string {
  const [opening = '', ...columns] = page.parts
  const main = `<article class="home">
<h1>${page.titleHtml}</h1>
<div class="lead">${opening}</div>
<div class="ways">
${columns.map((column) => `<section>${column}</section>`).join('\n')}
</div></article>`
  return renderDocument(frame, { ...page, title: 'Documentation', main, aside: '' })
}

export function notFoundPage(frame: Frame): string {
  const title = 'Page not found'
  const main = `<article><h1>${title}</h1>
<p>The URL may be wrong or belong to another version. Use the search, or start at the
<a href="${base}/">home page</a>.</p></article>`
  return renderDocument(frame, { address: null, title, description: title, main, aside: '' })
}

type Content = {
  readonly address: string | null
  readonly title: string
  readonly description: string
  readonly main: string
  readonly aside: string
}

function renderDocument(
  { assets, tree }: Frame,
  { address, title, description, main, aside }: Content,
): string {
  const alternate =
    address === null ? '' : `\n<link rel="alternate" type="text/markdown" href="${markdownUrlOf(address)}">`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Switchyard</title>
<meta name="description" content="${escapeHtml(description.slice(0, 300))}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">${alternate}
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.theme}"></script>
<script type="module" src="${assets.script}" data-search-index="${assets.searchIndex}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="menu" href="#navigation">Menu</a>
<a class="brand" href="${base}/">${logo}<span>Switchyard</span> <span class="what">Documentation</span></a>
<button class="search" type="button" data-act="search" hidden><span>Search</span> <kbd>/</kbd></button>
<button class="theme" type="button" data-act="theme" hidden></button>
</header>
<div class="frame">
<nav id="navigation" class="sections" aria-label="Documentation">
<a class="close" href="#content">Close menu</a>
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

function crumbs(page: Page, section: TreeSection | undefined): string {
  if (section === undefined) return ''
  const branch = section.entries.find((entry) => !('source' in entry) && entry.pages.includes(page))
  const index = branch !== undefined && 'index' in branch ? branch.index : null
  const group = index === null ? '' : ` / <a href="${pathOf(index.address)}">${escapeHtml(index.title)}</a>`
  return `<p class="crumbs">${escapeHtml(section.title)}${group}</p>\n`
}

function longOutline(outline: readonly Heading[]): string {
  if (outline.length < 2) return ''
  return `<nav class="outline" aria-label="On this page">
<p>On this page</p>
${listOf(outline)}
</nav>
`
}

/** The outline for narrow screens. */
function shortOutline(outline: readonly Heading[]): string {
  const parts = outline.filter(({ level }) => level === 2)
  if (parts.length < 3) return ''
  return `<details class="outline-short"><summary>On this page</summary>\n${listOf(parts)}\n</details>\n`
}

function listOf(headings: readonly Heading[]): string {
  const items = headings.map(({ level, id, html }) => {
    // Links must not be nested.
    const label = html.replaceAll(/<\/?a\b[^>]*>/g, '')
    return `<li class="level-${level}"><a href="#${id}">${label}</a></li>`
  })
  return `<ul>${items.join('')}</ul>`
}

function neighbours({ sections }: Tree, page: Page): string {
  const order = sections.flatMap(({ entries }) => entries.flatMap(pagesOf))
  const position = order.indexOf(page)
  const [before, after] = position === -1 ? [] : [order[position - 1], order[position + 1]]
  const link = (to: Page | undefined, rel: string, direction: string) =>
    to === undefined
      ? ''
      : `<a rel="${rel}" href="${pathOf(to.address)}"><span>${direction}</span> ${to.titleHtml.replaceAll(/<\/?a\b[^>]*>/g, '')}</a>`
  return `<nav class="neighbours" aria-label="Previous and next page">${link(before, 'prev', 'Previous')}${link(after, 'next', 'Next')}</nav>\n`
}
