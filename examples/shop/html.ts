// Pages as templates. Whatever is put into one is escaped, unless it is a piece of a page itself.

type Piece = { readonly markup: string }
type Content = Piece | string | number | null | readonly Content[]

export function html(texts: TemplateStringsArray, ...contents: Content[]): Piece {
  return { markup: texts.reduce((page, text, nth) => page + render(contents[nth - 1] ?? null) + text) }
}

function render(content: Content): string {
  if (content === null) return ''
  if (typeof content === 'string' || typeof content === 'number') return escaped(String(content))
  return 'markup' in content ? content.markup : content.map(render).join('')
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string)
}

export type { Piece }

/** The frame around every page. */
export function layout(title: string, main: Piece, script: string | null = null): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · The Paper Boat</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
${script === null ? null : html`<script type="module" src="${script}"></script>`}
</head>
<body>
<header><a class="name" href="/">The Paper Boat</a><nav><a href="/orders">Your orders</a></nav></header>
<main><h1>${title}</h1>
${main}
</main>
<footer>An example shop on Switchyard. With a test token no money moves.</footer>
</body>
</html>`
  return page.markup
}
