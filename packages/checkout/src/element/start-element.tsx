/**
 * The payment element in its frame. It uses the controller of the payment page; the merchant's page has the pay
 * button. Card data stays here; the page gets statuses and messages.
 */
import { render } from 'preact'
import { cardBrands, type FrameMessage, type PageMessage } from '../../../elements/src/messages.ts'
import { brandOf } from '../card/brand.ts'
import { digitsOf } from '../card/typing.ts'
import { PaymentController } from '../payment-controller.ts'
import { type State, saleOf } from '../state.ts'
import { loadLocale, preferLocale } from '../translations.ts'
import { clearCard, inputValues, restoreInput, saveInputForReturn } from '../view/form-input.ts'
import { applyAppearance } from './apply-appearance.ts'
import { invalidFields, resultOf, statusOf } from './outcome.ts'
import { ElementView } from './view.tsx'

type Init = Extract<PageMessage, { type: 'init' }>
type Received = Exclude<PageMessage, Init>
type Send = (message: FrameMessage) => void

/** After this time, the page receives the status that the outcome of the payment is not known yet. */
const processingTimeoutMs = 10_000

export function startElement(init: Init, send: Send): { receive(message: Received): void } {
  const element = new Element(init, send)
  return element
}

class Element {
  readonly #send: Send
  readonly #root = document.getElementById('element') as HTMLElement
  readonly #controller: PaymentController
  #state: State = { kind: 'loading' }
  #isReady = false
  /** The merchant page's request that has no response yet. */
  #submission: { readonly id: number; readonly returnUrl: string } | null = null
  /** Whether the form was valid, so that a payment has started. */
  #isPaying = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastChange = ''
  #isValid = false

  constructor({ session, locale, appearance }: Init, send: Send) {
    this.#send = send
    preferLocale(locale)
    applyAppearance(appearance)
    restoreInput(session.id)
    const target = { kind: 'session', id: session.id, secret: session.client_secret } as const
    this.#controller = new PaymentController(target, {
      show: (state) => this.#show(state),
      isOnline: () => navigator.onLine,
      redirectTo: (url) => this.#challenge(url),
      reload: (url) => {
        this.#answerBeforeReload()
        saveInputForReturn(session.id)
        location.replace(url)
      },
      // The page of the merchant decides what to show after the payment.
      finish: () => {},
    })
    this.#watch()
    void this.#controller.start()
  }

  receive(message: Received): void {
    if (message.type === 'update') void this.#update(message)
    else if (message.type === 'focus') this.#root.querySelector<HTMLElement>('input, select, button')?.focus()
    else if (message.type === 'submit') {
      this.#submission = { id: message.id, returnUrl: message.return_url }
      this.#submit()
    } else {
      clearCard()
      render(null, this.#root)
    }
  }

  async #update({ locale, appearance }: Pick<Init, 'locale' | 'appearance'>): Promise<void> {
    preferLocale(locale)
    applyAppearance(appearance)
    await loadLocale(saleOf(this.#state)?.locale ?? null)
    this.#render()
  }

  #watch(): void {
    const refresh = () => document.visibilityState === 'visible' && void this.#controller.refresh()
    addEventListener('online', refresh)
    document.addEventListener('visibilitychange', refresh)
    addEventListener('pageshow', ({ persisted }) => persisted && refresh())
    addEventListener('keydown', ({ key }) => key === 'Escape' && this.#send({ type: 'escape' }))
    new ResizeObserver(() => this.#reportHeight()).observe(this.#root)
  }

  #show(state: State): void {
    this.#state = state
    if (state.kind === 'receipt') clearCard()
    this.#root.querySelector('.skeleton')?.remove()
    this.#render()
    if (!this.#isReady) this.#send({ type: 'ready' })
    this.#isReady = true
    this.#reportChange()
    this.#answer()
  }

  #render(): void {
    const controller = this.#controller
    const payments: Pick<PaymentController, 'pay' | 'tryNextFields' | 'address'> = {
      address: controller.address,
      pay: async (confirmation, choice) => {
        const { returnUrl } = this.#submission ?? {}
        // The Enter key does not pay: the button is on the page of the merchant.
        if (returnUrl === undefined) return
        this.#isPaying = true
        await controller.pay(async () => withReturnUrl(await confirmation(), returnUrl), choice)
      },
      tryNextFields: (sale, entry) => controller.tryNextFields(sale, entry),
    }
    const onInput = () => this.#reportChange()
    const onValidity = (isValid: boolean) => {
      this.#isValid = isValid
      this.#reportChange()
    }
    const view = { state: this.#state, controller, payments, onInput, onValidity }
    render(<ElementView {...view} />, this.#root)
  }

  #submit(): void {
    const form = this.#root.querySelector('form')
    if (this.#state.kind === 'form' && form !== null && !this.#state.isSending) {
      this.#isPaying = false
      form.requestSubmit()
      // The error messages are rendered after this event.
      if (!this.#isPaying) setTimeout(() => this.#answerInvalidFields())
    } else {
      this.#controller.goToBank()
      this.#answer()
    }
  }

  #answerInvalidFields(): void {
    const count = this.#root.querySelectorAll('[aria-invalid=true]').length
    this.#settle(invalidFields(Math.max(count, 1)))
  }

  /** Responds to the merchant page's request if the state of the payment is known. */
  #answer(): void {
    clearTimeout(this.#timer)
    const result = resultOf(this.#state)
    if (result !== null) this.#settle(result)
    else if (this.#state.kind === 'waiting' && !['turn', 'bank'].includes(this.#state.for))
      this.#timer = setTimeout(() => this.#settle({ status: 'processing', error: null }), processingTimeoutMs)
  }

  /**
   * After a decline the page may switch to the card fields of another account, which requires loading another
   * document.
   */
  #answerBeforeReload(): void {
    const sale = saleOf(this.#state)
    if (sale !== null && this.#submission !== null)
      this.#settle(
        resultOf({
          kind: 'form',
          sale,
          message: { kind: 'declined', advice: 'other_method' },
          isSending: false,
        }),
      )
  }

  #settle(result: ReturnType<typeof resultOf>): void {
    if (this.#submission === null || result === null) return
    const { id } = this.#submission
    this.#submission = null
    this.#send({ type: 'result', id, ...result })
  }

  /** The bank's page must replace the whole page, because most banks forbid frames. */
  #challenge(url: string): void {
    this.#submission = null
    saveInputForReturn(this.#controller.sessionId ?? '')
    this.#send({ type: 'challenge', url: new URL(url, location.href).href })
  }

  #reportChange(): void {
    const brand = brandOf(digitsOf(inputValues()['card.number'] ?? ''))
    const message = {
      type: 'change',
      status: statusOf(this.#state),
      complete: this.#state.kind === 'form' && this.#isValid,
      brand: cardBrands.find((known) => known === brand) ?? null,
    } as const
    const text = JSON.stringify(message)
    if (text === this.#lastChange) return
    this.#lastChange = text
    this.#send(message)
  }

  #reportHeight(): void {
    const height = Math.ceil(this.#root.getBoundingClientRect().height)
    this.#send({ type: 'resize', height: Math.min(height, 20_000) })
  }
}

function withReturnUrl<Result>(confirmed: string | Result, returnUrl: string): string | Result {
  if (typeof confirmed !== 'string') return confirmed
  return JSON.stringify({ ...JSON.parse(confirmed), return_url: returnUrl })
}
