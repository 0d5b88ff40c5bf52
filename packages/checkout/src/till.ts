/**
 * The payment as the page drives it: reads what there is to pay, makes one session, confirms it once per press,
 * and asks until the outcome is known. Whatever the payer does with tabs and buttons, one session has at most one
 * payment under way: the server sees to that, and this side never repeats a try under a new key while it does not
 * know how the last one ended.
 */
import {
  type Choice,
  confirmSession,
  type Heard,
  type Key,
  openSession,
  type Problem,
  type PublicLink,
  type PublicSession,
  readLink,
  readSession,
  type Sale,
} from './doors.ts'
import { faultsFrom } from './form.ts'
import {
  alone,
  forgetSessionOf,
  forgetTyped,
  recallSession,
  recallSessionOf,
  rememberSession,
} from './memory.ts'
import { form, isUnderWay, type Notice, type State, saleOf, stateOf, stateOfLink } from './state.ts'
import { speak } from './words.ts'

export type Place =
  | { readonly is: 'link'; readonly slug: string }
  | { readonly is: 'session'; readonly id: string; readonly secret: string | null }

type Browser = {
  readonly show: (state: State) => void
  readonly isOnline: () => boolean
  /** Leaves the page for the bank. */
  readonly goTo: (url: string) => void
  /** Leaves the page for the seller, who wants to have the payer back. */
  readonly finish: (url: string) => void
}

/** Seconds between questions; the last goes on. */
const patience = [1, 1, 2, 3, 5]

export class Till {
  readonly #place: Place
  readonly #slug: string | null
  readonly #browser: Browser
  #state: State = { is: 'loading' }
  #key: Key | null = null
  #link: PublicLink | null = null
  /** The last payment we know of: an answer that names another one tells of a newer try. */
  #lastReference: string | null = null
  /** The last try while nobody knows whether it has arrived: its repeat has to look the same. */
  #unheard: { readonly idempotencyKey: string; readonly text: string } | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked = 0

  constructor(place: Place, browser: Browser) {
    this.#place = place
    this.#slug = place.is === 'link' ? place.slug : null
    this.#browser = browser
  }

  /** The id of the session, if there is one yet. */
  get sessionId(): string | null {
    return this.#key?.id ?? null
  }

  async start(): Promise<void> {
    const place = this.#place
    if (place.is === 'link') return this.#startAtLink(place.slug)
    const { id, secret } = place
    this.#key = secret === null ? await recallSession(id) : { id, client_secret: secret }
    if (this.#key === null) return this.#notice('reopen')
    await rememberSession(this.#key, null)
    await this.#hear(await readSession(this.#key))
  }

  /** Asks how things stand: when the time has come, and when the payer looks at the page again. */
  async readAgain(): Promise<void> {
    if (this.#key === null || this.#isSending()) return
    const heard = await readSession(this.#key)
    if (this.#isSending()) return
    const state = this.#state
    const isNews = !this.#isUntouched(heard)
    if (state.is === 'waiting' && state.for === 'lost' && !isNews)
      return this.#show(form(state.sale, { is: 'lost' }))
    // A form that somebody is filling in stays as it is, unless there is something to say.
    if (state.is !== 'form' || (heard.is === 'answer' && isNews)) await this.#hear(heard)
  }

  async pay(text: string, choice: Choice): Promise<void> {
    const state = this.#state
    if (state.is !== 'form' || state.isSending) return
    const { sale } = state
    if (!this.#browser.isOnline()) return this.#show(form(sale, { is: 'offline' }))
    // Said at once, before anything is awaited: a second click finds it.
    this.#state = { ...form(sale, null), isSending: true }
    this.#browser.show(this.#state)
    const session = await this.#session(choice)
    if (session.is === 'answer') return this.#confirm(session.body, text, sale)
    if (session.is === 'problem') return this.#refused(session.status, session.problem, sale)
    await this.#show(form(sale, { is: this.#browser.isOnline() ? 'unsent' : 'offline' }))
  }

  goToBank(): void {
    const state = this.#state
    if (state.is === 'waiting' && state.bankUrl !== null) this.#browser.goTo(state.bankUrl)
  }

  async payAgain(): Promise<void> {
    if (this.#link === null) return
    await this.#forgetSession()
    await this.#show(stateOfLink(this.#link))
  }

  async #startAtLink(slug: string): Promise<void> {
    this.#key = await recallSessionOf(slug)
    const ofSession = this.#key === null ? null : readSession(this.#key)
    const [link, session] = await Promise.all([readLink(slug), ofSession])
    if (link.is === 'silence' || session?.is === 'silence') return this.#notice('unreachable')
    this.#link = link.is === 'answer' ? link.body : null
    // A session that is over without a payment is no news to whoever opens the link: a new one is made.
    if (session?.is === 'answer' && session.body.status !== 'expired') return this.#hear(session)
    await this.#forgetSession()
    return this.#link === null ? this.#notice('not_found') : this.#show(stateOfLink(this.#link))
  }

  async #forgetSession(): Promise<void> {
    this.#key = null
    this.#lastReference = null
    if (this.#slug !== null) await forgetSessionOf(this.#slug)
  }

  /** A second tab may have made one meanwhile, so tabs take turns to look and to make. */
  #session(choice: Choice): Promise<Heard<Key>> {
    return alone(`link:${this.#slug}`, async () => {
      const slug = this.#slug ?? ''
      this.#key ??= await recallSessionOf(slug)
      if (this.#key !== null && (await this.#isFor(this.#key, choice)))
        return { is: 'answer', body: this.#key }
      const heard = await openSession(slug, choice)
      if (heard.is !== 'answer') return heard
      this.#key = { id: heard.body.id, client_secret: heard.body.client_secret }
      await rememberSession(this.#key, slug)
      return { is: 'answer', body: this.#key }
    })
  }

  /** How many of a thing is settled when the session is made. Who changes that before paying needs another one. */
  async #isFor(key: Key, { quantity }: Choice): Promise<boolean> {
    if (quantity === undefined) return true
    const heard = await readSession(key)
    if (heard.is !== 'answer' || heard.body.status !== 'open') return true
    return heard.body.items[0]?.quantity === quantity
  }

  async #confirm(session: Key, text: string, sale: Sale): Promise<void> {
    if (this.#unheard?.text !== text) this.#unheard = { idempotencyKey: randomKey(), text }
    const heard = await confirmSession(session, this.#unheard.idempotencyKey, text)
    if (heard.is === 'silence')
      return this.#show({ is: 'waiting', sale, for: 'lost', bankUrl: null, amount: sale.amount })
    this.#unheard = null
    if (heard.is === 'problem') return this.#refused(heard.status, heard.problem, sale)
    await this.#hear(heard)
    this.goToBank()
  }

  async #refused(status: number, problem: Problem, sale: Sale): Promise<void> {
    const faults = faultsFrom(problem, sale)
    if (status === 429) return this.#show(form(sale, { is: 'limit' }))
    if (faults.size > 0) return this.#show(form(sale, { is: 'faults', faults }))
    // Somebody was faster: another tab, another payer, or the time.
    await this.start()
    if (this.#state.is === 'form') await this.#show(form(this.#state.sale, { is: 'busy' }))
  }

  /** What the server says about the session is what the page shows. */
  async #hear(heard: Heard<PublicSession>): Promise<void> {
    if (heard.is === 'silence') return this.#waitOn()
    if (heard.is === 'problem') return this.#notice(heard.status === 401 ? 'reopen' : 'not_found')
    const session = heard.body
    const wasUnderWay = isUnderWay(this.#state)
    this.#lastReference = session.payment?.reference ?? null
    await this.#show(stateOf(session, this.#link))
    if (session.status !== 'completed') return
    forgetTyped(session.id)
    if (wasUnderWay && session.success_url !== null) this.#browser.finish(session.success_url)
  }

  /** Nobody answers: what was shown is still the last that we know. */
  #waitOn(): Promise<void> {
    return this.#state.is === 'waiting' ? this.#show(this.#state) : this.#notice('unreachable')
  }

  #isUntouched(heard: Heard<PublicSession>): boolean {
    if (heard.is !== 'answer' || heard.body.status !== 'open') return false
    return (heard.body.payment?.reference ?? null) === this.#lastReference
  }

  #isSending(): boolean {
    return this.#state.is === 'form' && this.#state.isSending
  }

  #notice(notice: Notice): Promise<void> {
    return this.#show({ is: 'notice', notice, sale: this.#link })
  }

  async #show(next: State): Promise<void> {
    clearTimeout(this.#timer)
    await speak(saleOf(next)?.locale ?? null)
    if (this.#state.is !== next.is) this.#asked = 0
    this.#state = next
    this.#browser.show(next)
    if (next.is === 'waiting') this.#askLater(() => this.readAgain())
    if (next.is === 'notice' && next.notice === 'unreachable') this.#askLater(() => this.start())
  }

  #askLater(question: () => Promise<void>): void {
    const seconds = patience[Math.min(this.#asked, patience.length - 1)] ?? 1
    this.#asked += 1
    clearTimeout(this.#timer)
    this.#timer = setTimeout(question, seconds * 1000)
  }
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
