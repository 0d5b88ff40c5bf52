/**
 * Renders the Markdown of a file to a page. Headings get the same anchors as on GitHub, so that links work in both
 * places.
 */
import createMarkdown, { type MarkdownIt, type Token } from 'markdown-it'
import { addressOf, pathOf } from './address.ts'
import { anchorFor } from './anchor.ts'
import { addCodeBreaks } from './cells.ts'
import { escapeHtml } from './escape.ts'
import { highlight } from './highlight.ts'
import { type Library, rewriteLinks } from './links.ts'
import { type ApiNames, linkApiNames } from './names.ts'
import { type Passage, passagesOf, plainOf } from './passages.ts'

export type Heading = { readonly level: number; readonly id: string; readonly html: string }

export type RenderedPage = {
  /** The first heading, as text and as HTML. */
  readonly title: string
  readonly titleHtml: string
  /** The first paragraph. */
  readonly description: string
  /** The content before the first second-level heading, then one part for each second-level heading. */
  readonly parts: readonly string[]
  readonly headings: readonly Heading[]
  readonly passages: readonly Passage[]
}

export function createRenderer(
  library: Library,
  names: ApiNames,
): (source: string, text: string) => RenderedPage {
  // HTML is parsed so that comments can be removed. It is never passed through.
  const md = createMarkdown({ html: true })
  addRenderRules(md)
  addImageRule(md)
  return (source, text) => {
    const tokens = md.parse(text, {})
    rewriteLinks(tokens, source, library)
    cleanTableCells(tokens)
    const headings = addHeadingAnchors(md, tokens)
    const titleIndex = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1')
    const title = tokens[titleIndex + 1]
    if (titleIndex === -1 || title === undefined) throw new Error(`${source} has no heading.`)
    const body = tokens.slice(titleIndex + 3)
    const passages = passagesOf(title, body)
    linkApiNames(body, names, pathOf(addressOf(source)))
    const first = body.find((_, index) => body[index - 1]?.type === 'paragraph_open')
    return {
      title: plainOf(title),
      titleHtml: inlineOf(md, title),
      description: first === undefined ? '' : plainOf(first),
      parts: partsOf(body).map((part) => addCodeBreaks(md.renderer.render(part, md.options, {}))),
      headings: headings.slice(1),
      passages,
    }
  }
}

/** Render rules: highlighted code, scrollable tables, and no HTML from the Markdown. */
function addRenderRules({ renderer: { rules } }: MarkdownIt): void {
  rules.fence = (tokens, index) => {
    const { content, info } = tokens[index] as Token
    const [language = ''] = info.trim().split(' ')
    const label = language === '' ? 'Code' : `Code: ${language}`
    const code = highlight(content.trimEnd(), language)
    return `<div class="code"><pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${code}\n</code></pre></div>\n`
  }
  rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
  rules.table_close = () => '</table></div>\n'
  rules.html_block = (tokens, index) => withoutComment(tokens[index] as Token)
  rules.html_inline = rules.html_block
  rules.code_link = (tokens, index) => {
    const token = tokens[index] as Token
    return `<a href="${token.attrGet('href')}"><code>${escapeHtml(token.content)}</code></a>`
  }
  rules.source_path = (tokens, index) => ` (<code>${escapeHtml((tokens[index] as Token).content)}</code>)`
  rules.heading_close = (tokens, index) => {
    const id = (tokens[index - 2] as Token).attrGet('id')
    const { tag } = tokens[index] as Token
    return ` <a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a></${tag}>\n`
  }
}

/** Wider images scroll on phones, because their text would be too small. */
const minWideWidth = 700

/** An image links to itself, so that it can be opened at full size. */
function addImageRule({ renderer: { rules } }: MarkdownIt): void {
  const image = rules.image
  if (image === undefined) return
  rules.image = (tokens, index, ...rest) => {
    const token = tokens[index] as Token
    const wide = Number(token.attrGet('width')) > minWideWidth ? ' wide' : ''
    return `<a class="picture${wide}" href="${token.attrGet('src')}">${image(tokens, index, ...rest)}</a>`
  }
}

/** Replaces inline styles, which the content security policy forbids, and turns empty header cells into data cells. */
function cleanTableCells(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'th_open' && token.type !== 'td_open') continue
    const [content, close] = [tokens[index + 1] as Token, tokens[index + 2] as Token]
    if (content.content === '') {
      token.tag = 'td'
      close.tag = 'td'
    }
    const side = /text-align:(\w+)/.exec(String(token.attrGet('style')))?.[1]
    token.attrs = side === undefined ? null : [['class', `to-${side}`]]
  }
}

function withoutComment({ content }: Token): string {
  return content.startsWith('<!--') ? '' : escapeHtml(content)
}

function inlineOf(md: MarkdownIt, { children }: Token): string {
  return md.renderer.renderInline(children ?? [], md.options, {})
}

/** Gives every heading the same anchor as on GitHub. */
function addHeadingAnchors(md: MarkdownIt, tokens: readonly Token[]): Heading[] {
  const usedIds = new Set<string>()
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return []
    const inline = tokens[index + 1] as Token
    const id = anchorFor(plainOf(inline), usedIds)
    usedIds.add(id)
    token.attrSet('id', id)
    return [{ level: Number(token.tag.slice(1)), id, html: inlineOf(md, inline) }]
  })
}

function partsOf(body: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of body) {
    if (token.type === 'heading_open' && token.tag === 'h2') parts.push([])
    parts.at(-1)?.push(token)
  }
  return parts
}
