// Parses the parts of Markdown that the guards need: fences, headings, links and paths.

import { posix } from 'node:path'

export type Fence = { readonly info: string; readonly line: number; readonly text: string }

/** Code blocks in the order of the page. */
export function fencesOf(markdown: string): Fence[] {
  return [...markdown.matchAll(/^```([^\n`]*)\n(.*?)^```\s*$/gms)].map((match) => ({
    info: (match[1] as string).trim(),
    line: markdown.slice(0, match.index).split('\n').length,
    text: match[2] as string,
  }))
}

/** The links of a page to files of the repository. Links to other hosts are not included. */
export function linksOf(path: string, markdown: string): { readonly to: string; readonly anchor: string }[] {
  const prose = withoutCode(markdown)
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
  const reference = [...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)]
  return [...inline, ...reference]
    .map(([, target]) => target as string)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = decodeURI(target).split('#')
      const to = file === '' ? path : posix.join(file.startsWith('/') ? '.' : posix.dirname(path), file)
      return { to: to.replace(/\/$/, ''), anchor }
    })
}

const fileName = /\w\.(tsx?|[cm]?js|jsonl?|sql|md|ya?ml|css|html|svg|sh|txt)$/

/**
 * Inline code that names a file (`routes.ts`), a folder (`src/commands/`) or a path from the root
 * (`packages/sdk`). Placeholders such as `<noun>.ts`, globs, addresses and npm packages are not paths.
 */
export function pathsOf(markdown: string, topLevel: ReadonlySet<string>): string[] {
  const inline = [...withoutFences(markdown).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code as string)
  return inline.filter((code) => {
    if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(code)) return false
    const [first = ''] = code.split('/')
    return fileName.test(code) || code.endsWith('/') || (code.includes('/') && topLevel.has(first))
  })
}

/** The anchors that GitHub creates for headings. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading] of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const plain = (heading as string).toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    const slug = plain.replaceAll(' ', '-')
    let name = slug
    for (let suffix = 1; anchors.has(name); suffix += 1) name = `${slug}-${suffix}`
    anchors.add(name)
  }
  return anchors
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^```.*?^```\s*$/gms, '')
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replaceAll(/`[^`\n]*`/g, '')
}
