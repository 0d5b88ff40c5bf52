/**
 * The frame of the hosted pages that work without scripts: invoice, card update, customer portal and cancellation. No
 * side effects. The body is HTML, in which the caller has escaped every text.
 */
import { escapeHtml } from './escape-html.ts'

export type PageSeller = {
  readonly name: string
  readonly logo_url: string | null
  readonly accent_color: string | null
  readonly accent_text_color: string | null
}

export type HostedPage = {
  readonly seller: PageSeller
  readonly locale: string
  readonly title: string
  /** Shown above the heading: the notice of test mode, or null. */
  readonly notice: string | null
  readonly body: string
}

export function renderHostedPage({ seller, locale, title, notice, body }: HostedPage): string {
  const logo = seller.logo_url === null ? '' : `<img src="${escapeHtml(seller.logo_url)}" alt="" height="40">`
  return `<!doctype html>
<html lang="${escapeHtml(locale)}" dir="${locale.startsWith('ar') ? 'rtl' : 'ltr'}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${styleOf(seller)}</style>
<main>
<header>${logo}<strong>${escapeHtml(seller.name)}</strong></header>
${notice === null ? '' : `<p class="test">${escapeHtml(notice)}</p>`}
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</html>
`
}

/** The language that a browser prefers, such as `de`; English if it states none. */
export function preferredLanguage(header: string | undefined): string {
  return /^\s*([A-Za-z]{2,3}(?:-[A-Z]{2})?)(?=[\s,;]|$)/.exec(header ?? '')?.[1] ?? 'en'
}

/** The UI text for a language tag, and the tag for formatting; English if there is none. */
export function textsOf<T>(
  languages: { readonly en: T; readonly [language: string]: T },
  tag: string | null,
): { readonly locale: string; readonly texts: T } {
  const language = (tag ?? 'en').split('-')[0] as string
  const texts = Object.hasOwn(languages, language) ? languages[language] : undefined
  return texts === undefined ? { locale: 'en', texts: languages.en } : { locale: tag ?? 'en', texts }
}

function styleOf({ accent_color: color, accent_text_color: text }: PageSeller): string {
  const accent = color === null ? '' : `--accent: ${color}; --on-accent: ${text ?? '#ffffff'};`
  return `
  :root { --page: #f3f4f6; --sheet: #fff; --text: #111827; --quiet: #4b5563; --line: #d1d5db; --link: #1d4ed8;
    --accent: #111827; --on-accent: #fff; --warn: #fef3c7; --on-warn: #78350f; --good: #e5f3ea; --on-good: #14532d }
  @media (prefers-color-scheme: dark) { :root { --page: #0b0f17; --sheet: #161c27; --text: #f3f4f6; --quiet: #b6bdc9;
    --line: #374151; --link: #93c5fd; --accent: #e5e7eb; --on-accent: #111827; --warn: #3a2a07; --on-warn: #fde68a;
    --good: #0f2e1c; --on-good: #bbf7d0 } }
  :root { ${accent} }
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: var(--page); color: var(--text) }
  main { max-width: 34rem; margin: 2rem auto; padding: 2rem; background: var(--sheet); box-sizing: border-box }
  header { display: flex; gap: .75rem; align-items: center }
  h1 { font-size: 1.4rem }
  h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
  h3 { font-size: 1rem; margin: 0 }
  .due { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem }
  .due strong { font-size: 1.8rem }
  .test, .status, .problem { padding: .5rem .75rem; background: var(--warn); color: var(--on-warn) }
  .status { background: var(--good); color: var(--on-good) }
  .quiet { color: var(--quiet) }
  .card { border: 1px solid var(--line); border-radius: 6px; padding: 1rem; margin: .75rem 0 }
  .actions { display: flex; flex-wrap: wrap; gap: .5rem; margin: .75rem 0 0 }
  .actions button, .actions .button { width: auto; padding: .5rem .9rem }
  button, .button { display: block; width: 100%; box-sizing: border-box; text-align: center; font: inherit;
    font-weight: 600; padding: .8rem; border: 1px solid var(--accent); border-radius: 6px; text-decoration: none;
    cursor: pointer; background: var(--accent); color: var(--on-accent) }
  .second { background: transparent; color: var(--text); border-color: var(--line) }
  button:focus-visible, a:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible {
    outline: 3px solid var(--link) }
  label { display: block; margin: 1rem 0 .25rem; font-weight: 600 }
  input, select, textarea { width: 100%; box-sizing: border-box; font: inherit; padding: .6rem; color: inherit;
    background: transparent; border: 1px solid var(--quiet); border-radius: 6px }
  option { color: #111827; background: #fff }
  table { width: 100%; border-collapse: collapse; margin: 1.5rem 0 }
  td, th { padding: .5rem 0; border-bottom: 1px solid var(--line); text-align: start; font-weight: inherit }
  td:last-child { text-align: end }
  .wrap td { overflow-wrap: anywhere; padding-inline-start: 1rem }
  label + .quiet { margin: 0 0 .25rem }
  tfoot td, tfoot th { font-weight: 600; border: 0 }
  a { color: var(--link) }
  a.button { color: var(--on-accent) }
  a.second { color: var(--text) }
  @media (max-width: 36rem) { main { margin: 0; min-height: 100vh; padding: 1.25rem } }
`
}
