// HTML templates. Values are escaped, unless they are the result of a template.

type Markup = { readonly markup: string }
type TemplateValue = Markup | string | number | null | readonly TemplateValue[]

export function html(strings: TemplateStringsArray, ...values: TemplateValue[]): Markup {
  return { markup: strings.reduce((page, text, index) => page + render(values[index - 1] ?? null) + text) }
}

function render(content: TemplateValue): string {
  if (content === null) return ''
  if (typeof content === 'string' || typeof content === 'number') return escapeHtml(String(content))
  return 'markup' in content ? content.markup : content.map(render).join('')
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string)
}

export type { Markup }

/** The layout of every page. */
export function layout(title: string, main: Markup, script: string | null = null): string {
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
