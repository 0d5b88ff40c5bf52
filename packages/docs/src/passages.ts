/** Splits a page into passages, one per heading. A search result is a passage. */
import type { Token } from 'markdown-it'

export type Passage = {
  /** Empty for the text between the title and the next heading. */
  readonly heading: string
  readonly anchor: string
  readonly text: string
  /** The codes that the passage describes: an error, an event or an operation. A search for one finds it first. */
  readonly names: readonly string[]
}

const nameLike = /^[a-z][a-z0-9_]*(?:[._][a-z0-9_]+)*$/

/** `body` is a page without its title. Code blocks are not indexed. Has no side effects. */
export function passagesOf(title: Token, body: readonly Token[]): Passage[] {
  const passages = [{ heading: '', anchor: '', texts: [] as string[], names: namesIn(title) }]
  for (const [index, token] of body.entries()) {
    if (token.type !== 'inline') continue
    const before = body[index - 1] as Token
    if (before.type === 'heading_open' && /^h[1-3]$/.test(before.tag)) {
      const anchor = String(before.attrGet('id'))
      passages.push({ heading: plainOf(token), anchor, texts: [], names: namesIn(token) })
      continue
    }
    const passage = passages.at(-1)
    // The first line after a heading can contain the code that the section describes.
    if (passage?.texts.length === 0) passage.names.push(...leadingNames(token))
    passage?.texts.push(plainOf(token))
  }
  return passages.map(({ texts, ...passage }) => ({ ...passage, text: texts.join(' ') }))
}

/** The plain text of an inline token. */
export function plainOf({ children }: Token): string {
  return (children ?? [])
    .map((child) => {
      if (child.type === 'softbreak' || child.type === 'hardbreak') return ' '
      if (child.type === 'source_path') return ` (${child.content})`
      return child.type === 'html_inline' ? '' : child.content
    })
    .join('')
}

function namesIn({ children }: Token): string[] {
  return (children ?? [])
    .filter(({ type, content }) => type === 'code_inline' && nameLike.test(content))
    .map(({ content }) => content)
}

/** The code at the beginning of a line, or all codes of a line that begins with the method and path of an operation. */
function leadingNames(line: Token): string[] {
  const [first] = (line.children ?? []).filter(
    ({ type, content }) => type !== 'text' || content.trim() !== '',
  )
  if (first?.type !== 'code_inline') return []
  if (/^(?:GET|POST|PUT|PATCH|DELETE) \//.test(first.content)) return [...new Set(namesIn(line))]
  return nameLike.test(first.content) ? [first.content] : []
}
