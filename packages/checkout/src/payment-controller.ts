/**
 * Controls the payment: loads the link or session, creates a session, confirms it once per click, and polls until the
 * outcome is known. The server ensures that a session has at most one payment in progress. The page never retries with
 * a new idempotency key while the outcome of the last attempt is unknown.
 */
import {
  type ApiResult,
  type CardEntry,
  type Choice,
  changeMethod,
  confirmSession,
  openSession,
  type Problem,
  type PublicLink,
  type PublicSession,
  readLink,
  readSession,
  type Sale,
  type SessionKey,
  secretHeader,
  sessionPath,
} from './api.ts'
import {
  deleteInputValues,
  deleteSessionOfLink,
  loadSession,
  loadSessionOfLink,
  saveSession,
  withExclusiveLock,
} from './browser-storage.ts'
import { choiceQuery, hasFields, isAllowed, querySkipping, urlWith } from './fields/choice.ts'
import { fieldErrorsFrom } from './form.ts'
import {
  form,
  isInProgress,
  type Message,
  type Notice,
  type State,
  saleOf,
  stateOf,
  stateOfLink,
} from './state.ts'
import { loadLocale } from './translations.ts'

export type PageTarget =
  | { readonly kind: 'link'; readonly slug: string }
  | { readonly kind: 'session'; readonly id: string; readonly secret: string | null }

type Browser = {
  readonly show: (state: State) => void
  readonly isOnline: () => boolean
  /** Redirects to the bank. */
  readonly redirectTo: (url: string) => void
  /** Loads this page again, with the policy for other card fields. */
  readonly reload: (url: string) => void
  /** Redirects to the success URL of the seller. */
  readonly finish: (url: string) => void
}

/** Seconds between polls. The last value repeats. */
const pollIntervalsSeconds = [1, 1, 2, 3, 5]
/** The page waits at most this long to resend a rate-limited payment. Otherwise it asks the payer to come back later. */
const maxWaitSeconds = 120

export class PaymentController {
  readonly #target: PageTarget
  readonly #slug: string | null
  readonly #browser: Browser
  #state: State = { kind: 'loading' }
  #key: SessionKey | null = null
  #link: PublicLink | null = null
  /** The reference of the last known payment. A different reference in a response means a newer attempt. */
  #lastReference: string | null = null
  /** The last attempt while it is unknown whether the server received it. A retry must send the same text and key. */
  #pendingAttempt: { readonly idempotencyKey: string; readonly text: string } | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #pollCount = 0
  /** Whether a rate-limited payment is being sent again. */
  #isResending = false

  constructor(target: PageTarget, browser: Browser) {
    this.#target = target
    this.#slug = target.kind === 'link' ? target.slug : null
    this.#browser = browser
  }

  /** The id of the session, if there is one yet. */
  get sessionId(): string | null {
    return this.#key?.id ?? null
  }

  /** The path of the link or session at the server, and the headers that it needs. */
  get address(): readonly [path: string, headers: Record<string, string>] {
    return this.#slug === null && this.#key !== null
      ? [sessionPath(this.#key), secretHeader(this.#key)]
      : [`/checkout/links/${this.#slug}`, {}]
  }

  async start(): Promise<void> {
    const target = this.#target
    if (target.kind === 'link') return this.#startWithLink(target.slug)
    const { id, secret } = target
    this.#key = secret === null ? await loadSession(id) : { id, client_secret: secret }
    if (this.#key === null) return this.#notice('reopen')
    await saveSession(this.#key, null)
    await this.#applyResult(await readSession(this.#key, choiceQuery))
  }

  /** Reads the session again: after the poll interval, and when the payer returns to the page. */
  async refresh(): Promise<void> {
    if (this.#key === null || this.#isSending() || this.#isWaitingForTurn()) return
    const result = await readSession(this.#key, choiceQuery)
    if (this.#isSending()) return
    const state = this.#state
    const hasChanged = !this.#isUnchanged(result)
    if (state.kind === 'waiting' && state.for === 'lost' && !hasChanged)
      return this.#show(form(state.sale, { kind: 'lost' }))
    // Do not replace a form that the payer is filling in, unless the session has changed.
    if (state.kind !== 'form' || (result.kind === 'success' && hasChanged)) await this.#applyResult(result)
  }

  /** `confirmation` returns the request body, or a message if the card fields did not return a card. */
  async pay(confirmation: () => Promise<string | Message>, choice: Choice): Promise<void> {
    const state = this.#state
    if (state.kind !== 'form' || state.isSending) return
    const { sale } = state
    if (!this.#browser.isOnline()) return this.#show(form(sale, { kind: 'offline' }))
    // Set synchronously, before the first await, so that a second click is ignored.
    this.#state = { ...form(sale, null), isSending: true }
    this.#browser.show(this.#state)
    // After a lost response the same request is sent again, because it is unknown whether the server received it.
    const lost = state.message?.kind === 'lost' && hasFields(sale.card_entry) ? this.#pendingAttempt : null
    const confirmed = lost?.text ?? (await confirmation())
    if (typeof confirmed === 'string') return this.#submit(confirmed, choice, sale)
    return this.#show(form(sale, confirmed))
  }

  /**
   * The card fields cannot be used: loads the page with those of the next account. No payment is in progress, because
   * the form is shown.
   */
  async tryNextFields(sale: Sale, entry: CardEntry): Promise<void> {
    const query = querySkipping(entry)
    const next = query === null ? null : await this.#findEntry(query)
    return next === null
      ? this.#show(form({ ...sale, card_entry: null }, null))
      : this.#browser.reload(urlWith(next))
  }

  async #findEntry(query: string): Promise<CardEntry | null> {
    const result =
      this.#key === null ? await readLink(this.#slug ?? '', query) : await readSession(this.#key, query)
    return result.kind === 'success' ? result.body.card_entry : null
  }

  async #submit(text: string, choice: Choice, sale: Sale): Promise<void> {
    const session = await this.#findOrCreateSession(choice)
    if (session.kind === 'success') return this.#confirm(session.body, text, sale)
    if (session.kind === 'no_response')
      return this.#show(form(sale, { kind: this.#browser.isOnline() ? 'unsent' : 'offline' }))
    const wait = waitOf(session)
    if (wait !== null) return this.#waitForTurn(sale, wait, () => this.#submit(text, choice, sale))
    return this.#handleProblem(session.status, session.problem, sale)
  }

  /** Returns to the form with its input. Nothing has been sent to the bank. */
  async stopWaiting(): Promise<void> {
    const state = this.#state
    if (state.kind !== 'waiting' || state.for !== 'turn' || this.#isResending) return
    clearTimeout(this.#timer)
    this.#pendingAttempt = null
    await this.#show(form(state.sale, null))
  }

  goToBank(): void {
    const state = this.#state
    if (state.kind === 'waiting' && state.bankUrl !== null) this.#browser.redirectTo(state.bankUrl)
  }

  /** Cancels the payment that redirected the payer. If this succeeds, the form is shown again. */
  async changeMethod(): Promise<void> {
    if (this.#key === null) return
    await this.#applyResult(await changeMethod(this.#key))
    if (this.#state.kind === 'form') await this.#show(form(this.#state.sale, null))
  }

  async payAgain(): Promise<void> {
    if (this.#link === null) return
    await this.#discardSession()
    await this.#show(stateOfLink(this.#link))
  }

  async #startWithLink(slug: string): Promise<void> {
    this.#key = await loadSessionOfLink(slug)
    const sessionRequest = this.#key === null ? null : readSession(this.#key, choiceQuery)
    const [link, session] = await Promise.all([readLink(slug, choiceQuery), sessionRequest])
    if (link.kind === 'no_response' || session?.kind === 'no_response') return this.#notice('unreachable')
    this.#link = link.kind === 'success' ? link.body : null
    if (link.kind === 'problem' && areCardsDisabled(link.problem)) return this.#notice('no_cards')
    // If the stored session has expired without a payment, ignore it: a new one is created.
    if (session?.kind === 'success' && session.body.status !== 'expired') return this.#applyResult(session)
    await this.#discardSession()
    return this.#link === null ? this.#notice('not_found') : this.#show(stateOfLink(this.#link))
  }

  async #discardSession(): Promise<void> {
    this.#key = null
    this.#lastReference = null
    if (this.#slug !== null) await deleteSessionOfLink(this.#slug)
  }

  /** Finds or creates the session. Another tab may have created one, so tabs do this one at a time. */
  #findOrCreateSession(choice: Choice): Promise<ApiResult<SessionKey>> {
    return withExclusiveLock(`link:${this.#slug}`, async () => {
      const slug = this.#slug ?? ''
      this.#key ??= await loadSessionOfLink(slug)
      if (this.#key !== null && (await this.#matchesChoice(this.#key, choice)))
        return { kind: 'success', body: this.#key }
      const result = await openSession(slug, choice)
      if (result.kind !== 'success') return result
      this.#key = { id: result.body.id, client_secret: result.body.client_secret }
      await saveSession(this.#key, slug)
      return { kind: 'success', body: this.#key }
    })
  }

  /** The quantity of a session is fixed. If the payer has changed it, a new session is needed. */
  async #matchesChoice(key: SessionKey, { quantity }: Choice): Promise<boolean> {
    if (quantity === undefined) return true
    const result = await readSession(key, choiceQuery)
    if (result.kind !== 'success' || result.body.status !== 'open') return true
    return result.body.items[0]?.quantity === quantity
  }

  async #confirm(session: SessionKey, text: string, sale: Sale): Promise<void> {
    if (this.#pendingAttempt?.text !== text) this.#pendingAttempt = { idempotencyKey: randomKey(), text }
    const result = await confirmSession(session, this.#pendingAttempt.idempotencyKey, text)
    if (result.kind === 'no_response')
      return this.#show({ kind: 'waiting', sale, for: 'lost', bankUrl: null, amount: sale.amount })
    const wait = waitOf(result)
    if (wait !== null) return this.#waitForTurn(sale, wait, () => this.#confirm(session, text, sale))
    this.#pendingAttempt = null
    if (result.kind === 'problem') return this.#handleProblem(result.status, result.problem, sale)
    await this.#applyResult(result)
    this.goToBank()
  }

  /** Sends the same payment again after the time given by the server, plus jitter. */
  async #waitForTurn(sale: Sale, wait: number, send: () => Promise<void>): Promise<void> {
    const seconds = Math.ceil(wait * (1 + Math.random() / 4)) + 1
    await this.#show({ kind: 'waiting', sale, for: 'turn', bankUrl: null, amount: sale.amount, seconds })
    clearTimeout(this.#timer)
    this.#timer = setTimeout(async () => {
      this.#isResending = true
      await send()
      this.#isResending = false
    }, seconds * 1000)
  }

  async #handleProblem(status: number, problem: Problem, sale: Sale): Promise<void> {
    const fieldErrors = fieldErrorsFrom(problem, sale)
    if (areCardsDisabled(problem)) return this.#show({ kind: 'notice', notice: 'no_cards', sale })
    const isCardLimit = problem.advice_code === 'other_method'
    if (status === 429) return this.#show(form(sale, { kind: isCardLimit ? 'limit_card' : 'limit' }))
    if (fieldErrors.size > 0) return this.#show(form(sale, { kind: 'field_errors', fieldErrors }))
    // The session was changed in the meantime by another tab or another payer, or it has expired.
    await this.start()
    if (this.#state.kind === 'form') await this.#show(form(this.#state.sale, { kind: 'busy' }))
  }

  /** Shows the state of the session in the response. */
  async #applyResult(result: ApiResult<PublicSession>): Promise<void> {
    if (result.kind === 'no_response') return this.#showWithoutResponse()
    if (result.kind === 'problem' && areCardsDisabled(result.problem)) return this.#notice('no_cards')
    if (result.kind === 'problem') return this.#notice(result.status === 401 ? 'reopen' : 'not_found')
    const session = result.body
    const wasInProgress = isInProgress(this.#state)
    this.#lastReference = session.payment?.reference ?? null
    await this.#show(stateOf(session, this.#link))
    if (session.status !== 'completed') return
    deleteInputValues(session.id)
    if (wasInProgress && session.success_url !== null) this.#browser.finish(session.success_url)
  }

  /** Without a response, keep showing the last known state. */
  #showWithoutResponse(): Promise<void> {
    return this.#state.kind === 'waiting' ? this.#show(this.#state) : this.#notice('unreachable')
  }

  #isUnchanged(result: ApiResult<PublicSession>): boolean {
    if (result.kind !== 'success' || result.body.status !== 'open') return false
    return (result.body.payment?.reference ?? null) === this.#lastReference
  }

  #isSending(): boolean {
    return this.#state.kind === 'form' && this.#state.isSending
  }

  #isWaitingForTurn(): boolean {
    return this.#state.kind === 'waiting' && this.#state.for === 'turn'
  }

  #notice(notice: Notice): Promise<void> {
    return this.#show({ kind: 'notice', notice, sale: this.#link })
  }

  async #show(next: State): Promise<void> {
    clearTimeout(this.#timer)
    const entry = next.kind === 'form' ? next.sale.card_entry : null
    if (next.kind === 'form' && entry === null && next.sale.other_methods.length === 0)
      return this.#show({ kind: 'notice', notice: 'no_cards', sale: next.sale })
    if (entry !== null && !isAllowed(entry)) return this.#browser.reload(urlWith(entry))
    await loadLocale(saleOf(next)?.locale ?? null)
    if (this.#state.kind !== next.kind) this.#pollCount = 0
    this.#state = next
    this.#browser.show(next)
    if (next.kind === 'waiting' && next.for !== 'turn') this.#pollLater(() => this.refresh())
    if (next.kind === 'notice' && next.notice === 'unreachable') this.#pollLater(() => this.start())
  }

  #pollLater(poll: () => Promise<void>): void {
    const seconds = pollIntervalsSeconds[Math.min(this.#pollCount, pollIntervalsSeconds.length - 1)] ?? 1
    this.#pollCount += 1
    clearTimeout(this.#timer)
    this.#timer = setTimeout(poll, seconds * 1000)
  }
}

/** How long to wait before a rate-limited payment is sent again; null: it is not rate limited, or too long to wait. */
function waitOf(result: ApiResult<unknown>): number | null {
  if (result.kind !== 'problem' || result.status !== 429) return null
  const { retryAfterSeconds: seconds } = result
  return seconds !== null && seconds <= maxWaitSeconds ? seconds : null
}

/** Raw card numbers are disabled in this workspace, so the page must not accept them. */
function areCardsDisabled({ code }: Problem): boolean {
  return code === 'raw_cards_disabled'
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
