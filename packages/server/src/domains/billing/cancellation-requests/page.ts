/** The pages on which subscribers cancel a contract or withdraw from it, as HTML without scripts. No side effects. */
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { type PageSeller, renderHostedPage, textsOf } from '../../../kernel/hosted-page.ts'
import type { CancellationRequest, FormField, RequestForm } from './cancellation-request.ts'
import { type CancellationTexts, cancellationLanguages } from './texts.ts'

export type Frame = {
  readonly seller: PageSeller
  readonly locale: string
  readonly isTest: boolean
  readonly url: string
}

function wordsOf({ locale: tag, seller, isTest }: Frame) {
  const { texts, locale } = textsOf(cancellationLanguages, tag)
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const minute = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'medium', timeZone: 'UTC' })
  return {
    texts,
    date: (at: Date) => day.format(at),
    /** With the time zone, because the subscriber's time zone is unknown. */
    time: (at: Date) => `${minute.format(at)} UTC`,
    text: (name: keyof CancellationTexts, values: Readonly<Record<string, string>> = {}) =>
      escapeHtml(texts[name].replaceAll(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')),
    page: (title: string, body: string) =>
      renderHostedPage({ seller, locale, title, notice: isTest ? texts.test : null, body }),
  }
}

/** The first step: two labelled buttons. */
export function renderStart(frame: Frame): string {
  const { text, texts, page } = wordsOf(frame)
  const button = (type: string, label: string) =>
    `<p><a class="button" href="${escapeHtml(`${frame.url}/${type}`)}">${label}</a></p>`
  return page(
    texts.title,
    `<p>${text('intro')}</p>
${button('cancellation', text('toCancel'))}
${button('withdrawal', text('toWithdraw'))}`,
  )
}

type FormPage = {
  readonly frame: Frame
  readonly form: RequestForm
  readonly faults: readonly FormField[]
  readonly isLimited: boolean
}

/** The second step: the form, with the button that submits it. */
export function renderForm({ frame, form, faults, isLimited }: FormPage): string {
  const { text, texts, page } = wordsOf(frame)
  const isWithdrawal = form.type === 'withdrawal'
  const field = (name: FormField, input: string, hint = '') => {
    const isWrong = faults.includes(name)
    const ids = [hint === '' ? '' : `${name}-hint`, isWrong ? `${name}-fault` : ''].filter((id) => id !== '')
    const described = ids.length === 0 ? '' : ` aria-describedby="${ids.join(' ')}"`
    const attributes = `id="${name}" name="${name}"${isWrong ? ' aria-invalid="true"' : ''}${described}`
    return `<label for="${name}">${text(name)}</label>
${hint === '' ? '' : `<p class="quiet" id="${name}-hint">${hint}</p>`}
${input.replace('<input', `<input ${attributes}`).replace('<textarea', `<textarea ${attributes}`)}
${isWrong ? `<p id="${name}-fault" class="problem">${text('check')}</p>` : ''}`
  }
  const value = (name: FormField) => `value="${escapeHtml(form[name])}"`
  return page(
    isWithdrawal ? texts.withdraw : texts.cancel,
    `${isLimited ? `<p role="alert" class="problem">${text('limit')}</p>` : ''}
<form method="post" action="${escapeHtml(`${frame.url}/${isWithdrawal ? 'withdrawal' : 'cancellation'}`)}">
${field('name', `<input ${value('name')} autocomplete="name" required>`)}
${field('email', `<input type="email" ${value('email')} autocomplete="email" required>`, text('emailHint'))}
${field('contract', `<input ${value('contract')} autocomplete="off" maxlength="60">`, text('contractHint'))}
${isWithdrawal ? '' : kindHtml(form, text)}
${field('reason', `<textarea rows="3" maxlength="2000">${escapeHtml(form.reason)}</textarea>`, isWithdrawal ? '' : text('reasonHint'))}
${isWithdrawal ? '' : field('end', `<input type="date" ${value('end')}>`, text('endHint'))}
<p><button>${text(isWithdrawal ? 'submitWithdraw' : 'submitCancel')}</button></p></form>
<p class="actions"><a class="button second" href="${escapeHtml(frame.url)}">${text('back')}</a></p>`,
  )
}

type Text = ReturnType<typeof wordsOf>['text']

function kindHtml({ type }: RequestForm, text: Text): string {
  const option = (value: 'cancellation' | 'extraordinary') =>
    `<option value="${value}"${type === value ? ' selected' : ''}>${text(value)}</option>`
  return `<label for="kind">${text('kind')}</label>
<select id="kind" name="kind">${option('cancellation')}${option('extraordinary')}</select>`
}

/** The receipt: the content of the request, and the date and time at which it was received. */
export function renderReceived({
  frame,
  request,
}: {
  readonly frame: Frame
  readonly request: CancellationRequest
}): string {
  const { text, texts, page, time } = wordsOf(frame)
  const row = (name: keyof CancellationTexts, value: string | null) =>
    value === null ? '' : `<tr><th scope="row">${text(name)}</th><td>${escapeHtml(value)}</td></tr>`
  return page(
    texts.receivedTitle,
    `<p role="status" class="status">${text('receivedText', { time: time(request.receivedAt) })}</p>
<table class="wrap"><tbody>
${row('declaration', texts[request.type])}
${row('name', request.name)}
${row('email', request.email)}
${row('contract', request.contract)}
${row('reason', request.reason)}
${row('end', request.requestedEnd)}
${row('received', time(request.receivedAt))}
${row('reference', request.id)}
</tbody></table>
<p>${text('next')}</p>
<p class="quiet">${text('keep')}</p>`,
  )
}

type Confirmation = {
  readonly frame: Frame
  readonly request: CancellationRequest
  readonly preview: { readonly name: string; readonly endAt: Date | null; readonly token: string } | null
  readonly isStale: boolean
  readonly url: string
}

/** The effect of confirming the request, with the button that confirms it. */
export function renderConfirmation({ frame, request, preview, isStale, url }: Confirmation): string {
  const { text, texts, page, time, date } = wordsOf(frame)
  const effect =
    preview === null
      ? text('decides', { seller: frame.seller.name })
      : preview.endAt === null
        ? text('endsNow', { plan: preview.name })
        : text('ends', { plan: preview.name, date: date(preview.endAt) })
  return page(
    texts.confirmTitle,
    `${isStale ? `<p role="alert" class="problem">${text('stale')}</p>` : ''}
<p>${text('declared', { type: texts[request.type], time: time(request.receivedAt) })}</p>
<p>${effect}</p>
<form method="post" action="${escapeHtml(url)}">
<input type="hidden" name="preview_token" value="${escapeHtml(preview?.token ?? '')}">
<button>${text('confirm')}</button></form>`,
  )
}

type Result = {
  readonly frame: Frame
  /** When the subscription ends; null if it has ended, or the merchant has not accepted the request. */
  readonly endAt: Date | null
  readonly isDecided: boolean
}

export function renderResult({ frame, endAt, isDecided }: Result): string {
  const { text, texts, page, date } = wordsOf(frame)
  const body =
    endAt !== null
      ? text('doneEnds', { date: date(endAt) })
      : text(isDecided ? 'doneClosed' : 'decides', { seller: frame.seller.name })
  return page(texts.doneTitle, `<p role="status" class="status">${body}</p>`)
}
