/** A page in passages, one for each heading: what is searched, and where a result leads. */
import type { Token } from 'markdown-it'

export type Passage = {
  /** Empty for what stands before the second heading. */
  readonly heading: string
  readonly anchor: string
  readonly text: string
  /** Codes by which it is known: of an error, an event, an operation. Whoever types one wants this passage. */
  readonly names: readonly string[]
}

const nameLike = /^[a-z][a-z0-9_]*(?:[._][a-z0-9_]+)*$/

/** Pure. `body` is a page without its title, whose words are in `title`. Code blocks are not searched. */
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
    // The first line below a heading may hold the code of what it tells of.
    if (passage?.texts.length === 0) passage.names.push(...leadingNames(token))
    passage?.texts.push(plainOf(token))
  }
  return passages.map(({ texts, ...passage }) => ({ ...passage, text: texts.join(' ') }))
}

/** The words of an inline token, without their marks. */
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

/** A line that begins with a code is about it; one that begins with a path is about an operation, and names it. */
function leadingNames(line: Token): string[] {
  const [first] = (line.children ?? []).filter(
    ({ type, content }) => type !== 'text' || content.trim() !== '',
  )
  if (first?.type !== 'code_inline') return []
  if (/^(?:GET|POST|PUT|PATCH|DELETE) \//.test(first.content)) return [...new Set(namesIn(line))]
  return nameLike.test(first.content) ? [first.content] : []
}
