/**
 * The frame on the page of the merchant, and the connection to it. After each load of the frame this side sends `init`
 * with a new `MessagePort`, which the browser delivers to the origin of Switchyard only. This side never listens to
 * messages of the window, so other frames and pages cannot reach it.
 */
import type { Appearance } from './appearance.ts'
import type { ElementEvents, Outcome } from './index.ts'
import {
  type ElementsError,
  type ElementsErrorCode,
  type FrameMessage,
  type PageMessage,
  protocolVersion,
  readFrameMessage,
  type SessionKey,
} from './messages.ts'

export type FrameOptions = {
  readonly origin: string
  readonly publishableKey: string
  readonly session: SessionKey
  readonly settings: () => { readonly locale: string | null; readonly appearance: Appearance }
}

type Pending = {
  readonly id: number
  readonly returnUrl: string
  readonly promise: Promise<Outcome>
  readonly resolve: (outcome: Outcome) => void
  /** Whether the frame may have sent the payment, so that its outcome can be unknown. */
  isSubmitted: boolean
}

/**
 * A frame that is not ready within this time cannot be used: its origin is wrong, or this page may not embed
 * it.
 */
const readyTimeoutMs = 15_000

const titles: Readonly<Record<string, string>> = {
  en: 'Payment details',
  de: 'Zahlungsdaten',
  es: 'Datos de pago',
  fr: 'Informations de paiement',
  ja: 'お支払い情報',
  ar: 'بيانات الدفع',
}
const messages: Readonly<Partial<Record<ElementsErrorCode, string>>> = {
  frame_unavailable: 'The payment form cannot be loaded. Nothing was charged.',
  unmounted: 'The payment form was removed. Nothing was charged.',
}

export class Frame {
  readonly #options: FrameOptions
  readonly #listeners = new Map<string, Set<(detail: never) => void>>()
  #iframe: HTMLIFrameElement | null = null
  #port: MessagePort | null = null
  #isReady = false
  #isUnavailable = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #pending: Pending | null = null
  #lastId = 0

  constructor(options: FrameOptions) {
    this.#options = options
  }

  mount(place: HTMLElement): void {
    if (this.#iframe !== null) throw new Error('This element is already mounted.')
    const { origin, publishableKey } = this.#options
    const iframe = document.createElement('iframe')
    iframe.src = `${origin}/e/${publishableKey}/payment?origin=${encodeURIComponent(location.origin)}`
    iframe.allow = 'payment'
    iframe.referrerPolicy = 'no-referrer'
    Object.assign(iframe.style, { display: 'block', width: '100%', height: '320px', border: '0' })
    iframe.addEventListener('load', () => this.#connect(iframe))
    this.#iframe = iframe
    this.#setTitle()
    this.#timer = setTimeout(() => this.#giveUp(), readyTimeoutMs)
    place.append(iframe)
  }

  unmount(): void {
    this.#send({ type: 'unmount' })
    clearTimeout(this.#timer)
    this.#port?.close()
    this.#iframe?.remove()
    this.#iframe = this.#port = null
    this.#isReady = false
    this.#fail('unmounted')
  }

  update(): void {
    this.#setTitle()
    this.#send({ type: 'update', ...this.#options.settings() })
  }

  focus(): void {
    this.#iframe?.focus()
    this.#send({ type: 'focus' })
  }

  confirm(returnUrl: string): Promise<Outcome> {
    if (this.#iframe === null) throw new Error('Mount the element before you confirm.')
    if (this.#pending !== null) return this.#pending.promise
    const { promise, resolve } = withResolvers<Outcome>()
    this.#lastId += 1
    // The fragment is not sent to servers, and the payer returns without it.
    const url = new URL(returnUrl, location.href)
    url.hash = ''
    this.#pending = { id: this.#lastId, returnUrl: url.href, promise, resolve, isSubmitted: false }
    if (this.#isReady) this.#submit(this.#pending)
    else if (this.#isUnavailable) this.#fail('frame_unavailable')
    return promise
  }

  on<Name extends keyof ElementEvents>(
    event: Name,
    listener: (detail: ElementEvents[Name]) => void,
  ): () => void {
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners.add(listener as (detail: never) => void))
    return () => listeners.delete(listener as (detail: never) => void)
  }

  #connect(iframe: HTMLIFrameElement): void {
    const { origin, session, settings } = this.#options
    this.#port?.close()
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => {
      const message = readFrameMessage(data)
      if (message !== null && this.#port === port1) this.#receive(message)
    }
    this.#port = port1
    this.#isReady = false
    const init: PageMessage = { type: 'init', version: protocolVersion, session, ...settings() }
    iframe.contentWindow?.postMessage(init, origin, [port2])
  }

  #receive(message: FrameMessage): void {
    if (message.type === 'ready') this.#handleReady()
    else if (message.type === 'resize') this.#resize(message.height)
    else if (message.type === 'escape') this.#emit('escape', undefined)
    else if (message.type === 'challenge') this.#leave(message.url)
    else if (message.type === 'result') this.#handleResult(message)
    else {
      const { status, complete, brand } = message
      this.#emit('change', { status, complete, brand })
    }
  }

  #resize(height: number): void {
    if (this.#iframe !== null) this.#iframe.style.height = `${height}px`
  }

  #handleReady(): void {
    clearTimeout(this.#timer)
    this.#isReady = true
    this.#isUnavailable = false
    this.#emit('ready', undefined)
    // Confirmed before the frame was ready, or the frame was loaded again during a payment.
    if (this.#pending?.isSubmitted === true) this.#settle({ status: 'processing', error: null })
    else if (this.#pending !== null) this.#submit(this.#pending)
  }

  #handleResult({ id, status, error }: Extract<FrameMessage, { type: 'result' }>): void {
    if (id !== this.#pending?.id) return
    if (status !== 'failed') this.#settle({ status, error: null })
    else if (error !== null) this.#settle({ status, error })
  }

  /** Opens the page of the bank. The URL is on Switchyard, which redirects to the bank. */
  #leave(url: string): void {
    if (new URL(url).origin !== this.#options.origin) return
    this.#settle({ status: 'requires_action', error: null })
    location.assign(url)
  }

  #submit(pending: Pending): void {
    pending.isSubmitted = true
    this.#send({ type: 'submit', id: pending.id, return_url: pending.returnUrl })
  }

  #giveUp(): void {
    this.#isUnavailable = true
    this.#emit('error', errorOf('frame_unavailable'))
    this.#fail('frame_unavailable')
  }

  #fail(code: ElementsErrorCode): void {
    const error = errorOf(code)
    // A payment that may have been sent has not failed: its outcome is unknown here.
    if (this.#pending?.isSubmitted === true) this.#settle({ status: 'processing', error: null })
    else this.#settle({ status: 'failed', error })
  }

  #settle(outcome: Outcome): void {
    this.#pending?.resolve(outcome)
    this.#pending = null
  }

  #send(message: PageMessage): void {
    this.#port?.postMessage(message)
  }

  #emit<Name extends keyof ElementEvents>(event: Name, detail: ElementEvents[Name]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(detail as never)
  }

  /** Screen readers announce the title when the payer enters the frame. */
  #setTitle(): void {
    const tag = this.#options.settings().locale ?? document.documentElement.lang
    const title = titles[tag.slice(0, 2)] ?? titles.en
    if (this.#iframe !== null && title !== undefined) this.#iframe.title = title
  }
}

function errorOf(code: ElementsErrorCode): ElementsError {
  return { code, message: messages[code] ?? code, advice_code: null }
}

/** `Promise.withResolvers`, which older browsers do not have. */
function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
