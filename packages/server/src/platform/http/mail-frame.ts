/**
 * The document in which the dashboard shows the HTML of an e-mail. It is sandboxed, so it has an opaque origin and
 * cannot read the session. Its policy allows only its own script, inline styles and images from data URLs, so an e-mail
 * can neither run scripts nor send requests. Links are removed.
 */
import { createHash } from 'node:crypto'

const script = `addEventListener('message', ({ source, data }) => {
  if (source !== parent || typeof data?.html !== 'string') return
  const mail = new DOMParser().parseFromString(data.html, 'text/html')
  for (const link of mail.querySelectorAll('[href]')) link.removeAttribute('href')
  document.replaceChild(document.adoptNode(mail.documentElement), document.documentElement)
  source.postMessage({ height: document.documentElement.scrollHeight }, '*')
})`
const scriptHash = `sha256-${createHash('sha256').update(script).digest('base64')}`

export const mailFramePage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>E-mail</title></head><body><script>${script}</script></body></html>
`

/** `embedder` is the origin of the dashboard, which alone may show the document. Has no side effects. */
export function mailFramePolicy(embedder: string): string {
  return [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${embedder}`,
    'sandbox allow-scripts',
  ].join('; ')
}
