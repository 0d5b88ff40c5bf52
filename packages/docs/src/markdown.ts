/**
 * From the Markdown of a file to what its page shows. Headings get the anchors that they have where the repository
 * is browsed, so that one text serves both.
 */
import createMarkdown, { type MarkdownIt, type Token } from 'markdown-it'
import { addressOf, pathOf } from './address.ts'
import { anchorFor } from './anchor.ts'
import { breakCodes } from './cells.ts'
import { escaped } from './escape.ts'
import { highlight } from './highlight.ts'
import { type Library, turnLinks } from './links.ts'
import { linkNames, type Names } from './names.ts'
import { type Passage, passagesOf, plainOf } from './passages.ts'

export type Heading = { readonly level: number; readonly id: string; readonly html: string }

export type Rendered = {
  /** The first heading, as text and as HTML. */
  readonly title: string
  readonly titleHtml: string
  /** The first paragraph. */
  readonly description: string
  /** What stands before the second heading, and then one for each part that a heading of its level opens. */
  readonly parts: readonly string[]
  readonly headings: readonly Heading[]
  readonly passages: readonly Passage[]
}

export function createRenderer(library: Library, names: Names): (source: string, text: string) => Rendered {
  // HTML is read so that comments can be left out; it is never passed on.
  const md = createMarkdown({ html: true })
  dressTokens(md)
  dressPictures(md)
  return (source, text) => {
    const tokens = md.parse(text, {})
    turnLinks(tokens, source, library)
    dressCells(tokens)
    const headings = nameHeadings(md, tokens)
    const at = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1')
    const title = tokens[at + 1]
    if (at === -1 || title === undefined) throw new Error(`${source} has no heading to be known by.`)
    const body = tokens.slice(at + 3)
    const passages = passagesOf(title, body)
    linkNames(body, names, pathOf(addressOf(source)))
    const first = body.find((_, index) => body[index - 1]?.type === 'paragraph_open')
    return {
      title: plainOf(title),
      titleHtml: inlineOf(md, title),
      description: first === undefined ? '' : plainOf(first),
      parts: partsOf(body).map((part) => breakCodes(md.renderer.render(part, md.options, {}))),
      headings: headings.slice(1),
      passages,
    }
  }
}

/** How tokens look: code in colours, tables that scroll inside themselves, no HTML but our own. */
function dressTokens({ renderer: { rules } }: MarkdownIt): void {
  rules.fence = (tokens, index) => {
    const { content, info } = tokens[index] as Token
    const [language = ''] = info.trim().split(' ')
    const label = language === '' ? 'Code' : `Code: ${language}`
    const code = highlight(content.trimEnd(), language)
    return `<div class="code"><pre tabindex="0" role="group" aria-label="${escaped(label)}"><code>${code}\n</code></pre></div>\n`
  }
  rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
  rules.table_close = () => '</table></div>\n'
  rules.html_block = (tokens, index) => withoutComment(tokens[index] as Token)
  rules.html_inline = rules.html_block
  rules.code_link = (tokens, index) => {
    const token = tokens[index] as Token
    return `<a href="${token.attrGet('href')}"><code>${escaped(token.content)}</code></a>`
  }
  rules.source_path = (tokens, index) => ` (<code>${escaped((tokens[index] as Token).content)}</code>)`
  rules.heading_close = (tokens, index) => {
    const id = (tokens[index - 2] as Token).attrGet('id')
    const { tag } = tokens[index] as Token
    return ` <a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a></${tag}>\n`
  }
}

/** From this width on its words would be too small on a phone: there it scrolls. */
const wideFrom = 700

/** A picture leads to itself, where it can be made as large as the screen. */
function dressPictures({ renderer: { rules } }: MarkdownIt): void {
  const image = rules.image
  if (image === undefined) return
  rules.image = (tokens, index, ...rest) => {
    const token = tokens[index] as Token
    const wide = Number(token.attrGet('width')) > wideFrom ? ' wide' : ''
    return `<a class="picture${wide}" href="${token.attrGet('src')}">${image(tokens, index, ...rest)}</a>`
  }
}

/** The policy of the pages lets no style stand in them, and a header without words heads nothing. */
function dressCells(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'th_open' && token.type !== 'td_open') continue
    const [words, close] = [tokens[index + 1] as Token, tokens[index + 2] as Token]
    if (words.content === '') {
      token.tag = 'td'
      close.tag = 'td'
    }
    const side = /text-align:(\w+)/.exec(String(token.attrGet('style')))?.[1]
    token.attrs = side === undefined ? null : [['class', `to-${side}`]]
  }
}

function withoutComment({ content }: Token): string {
  return content.startsWith('<!--') ? '' : escaped(content)
}

function inlineOf(md: MarkdownIt, { children }: Token): string {
  return md.renderer.renderInline(children ?? [], md.options, {})
}

/** Gives every heading the anchor that GitHub gives it. */
function nameHeadings(md: MarkdownIt, tokens: readonly Token[]): Heading[] {
  const taken = new Set<string>()
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return []
    const words = tokens[index + 1] as Token
    const id = anchorFor(plainOf(words), taken)
    taken.add(id)
    token.attrSet('id', id)
    return [{ level: Number(token.tag.slice(1)), id, html: inlineOf(md, words) }]
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
