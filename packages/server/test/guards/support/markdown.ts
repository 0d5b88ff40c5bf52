// Reads Markdown as far as the guards need it: fences, headings, links.

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

/** Where the page points to inside the repository, as `path#anchor`; addresses of other hosts are not ours to check. */
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

/** The anchors that GitHub makes of headings. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading] of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const plain = (heading as string).toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    const slug = plain.replaceAll(' ', '-')
    let name = slug
    for (let again = 1; anchors.has(name); again += 1) name = `${slug}-${again}`
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
