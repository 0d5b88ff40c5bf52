/**
 * The six block types of e-mails, rendered as HTML with tables and inline styles, which all mail clients support, and
 * as plain text. No side effects. All text is escaped.
 */
import { escapeHtml } from '../../../kernel/escape-html.ts'

export type Block =
  | { readonly type: 'heading'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'amount'; readonly label: string; readonly text: string }
  | { readonly type: 'rows'; readonly rows: readonly (readonly [label: string, value: string])[] }
  | { readonly type: 'button'; readonly label: string; readonly url: string }
  | { readonly type: 'notice'; readonly text: string }

export type Frame = {
  readonly seller: string
  /** Shows the attached logo. */
  readonly hasLogo: boolean
  readonly color: string
  readonly textColor: string
  readonly language: string
  readonly isRightToLeft: boolean
}

export const logoCid = 'logo'

export function renderHtml(frame: Frame, blocks: readonly Block[]): string {
  const direction = frame.isRightToLeft ? 'rtl' : 'ltr'
  const logo = frame.hasLogo
    ? `<img src="cid:${logoCid}" alt="" height="40" style="display:block;border:0;margin-bottom:8px">`
    : ''
  const rows = blocks.map((block) => `<tr><td style="padding:8px 32px">${blockHtml(frame, block)}</td></tr>`)
  return `<!doctype html>
<html lang="${escapeHtml(frame.language)}" dir="${direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;background:#f3f4f6">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 8px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-top:4px solid ${escapeHtml(frame.color)};font-family:Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;color:#1f2937">
<tr><td style="padding:24px 32px 8px;font-weight:bold">${logo}${escapeHtml(frame.seller)}</td></tr>
${rows.join('\n')}
<tr><td style="padding:16px"></td></tr>
</table>
</td></tr></table>
</body>
</html>
`
}

function blockHtml(frame: Frame, block: Block): string {
  switch (block.type) {
    case 'heading':
      return `<h1 style="margin:0;font-size:22px;line-height:30px">${escapeHtml(block.text)}</h1>`
    case 'text':
      return `<p style="margin:0">${escapeHtml(block.text).replaceAll('\n', '<br>')}</p>`
    case 'amount':
      return `<p style="margin:0;color:#4b5563">${escapeHtml(block.label)}</p><p style="margin:0;font-size:28px;line-height:36px;font-weight:bold">${escapeHtml(block.text)}</p>`
    case 'rows':
      return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${block.rows.map(rowHtml).join('')}</table>`
    case 'button':
      return `<table role="presentation" cellpadding="0" cellspacing="0"><tr><td style="background:${escapeHtml(frame.color)};border-radius:6px"><a href="${escapeHtml(block.url)}" style="display:inline-block;padding:12px 24px;color:${escapeHtml(frame.textColor)};text-decoration:none;font-weight:bold">${escapeHtml(block.label)}</a></td></tr></table>`
    case 'notice':
      return `<p style="margin:0;padding:8px 12px;background:#fef3c7;color:#78350f">${escapeHtml(block.text)}</p>`
  }
}

function rowHtml([label, value]: readonly [string, string]): string {
  return `<tr><td style="padding:4px 16px 4px 0;color:#4b5563;vertical-align:top">${escapeHtml(label)}</td><td style="padding:4px 0;vertical-align:top">${escapeHtml(value)}</td></tr>`
}

export function renderText({ seller }: Pick<Frame, 'seller'>, blocks: readonly Block[]): string {
  return `${[seller, ...blocks.map(blockText)].join('\n\n')}\n`
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'heading':
    case 'text':
    case 'notice':
      return block.text
    case 'amount':
      return `${block.label}: ${block.text}`
    case 'rows':
      return block.rows.map(([label, value]) => `${label}: ${value}`).join('\n')
    case 'button':
      return `${block.label}: ${block.url}`
  }
}
