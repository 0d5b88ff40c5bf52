// Stubs of the scripts of providers and vaults. The real scripts cannot be loaded in tests. The stubs have the functions,
// events and frames that the providers document, and create tokens that the emulators accept: the card number selects
// the scenario, as in the card form.

import type { BrowserContext, FrameLocator, Page } from 'playwright-core'
import { cards } from '../../support/checkout.ts'
import type { VaultName } from '../../support/vaults.ts'

/** The form in the frame of a provider. It sends the typed values to the script, as the frames of providers do. */
const frame = (origin: string) => `<!doctype html><html lang="en"><title>Card</title>
<style>body{margin:0;font:16px system-ui}label{display:block;margin:4px 0}input{font:inherit;width:95%;padding:8px}</style>
<main><h1 style="font-size:1em">${origin.replace('https://', '')}</h1>
<label>Card number <input id="number" inputmode="numeric"></label>
<label>Expiry date <input id="expiry"></label>
<label>Security code <input id="cvc"></label></main>
<script>addEventListener('input', () => parent.postMessage(
  { number: number.value, expiry: expiry.value, cvc: cvc.value }, '*'))</script>`

/** Defines `frameIn(element, onLoad)` and `typed`, the values in the frame. */
const common = (origin: string) => `
  let typed = { number: '', expiry: '', cvc: '' }
  addEventListener('message', ({ origin, data }) => { if (origin === '${origin}') typed = data })
  const isComplete = () => typed.number.length > 12 && typed.expiry !== '' && typed.cvc !== ''
  const scenario = () => typed.number === '${cards.approved}' ? 'approve'
    : typed.number.slice(8, 12).startsWith('00') ? 'decline_' + typed.number.slice(10, 12) : typed.number.slice(8, 12)
  const frameIn = (at, onLoad) => {
    const frame = document.createElement('iframe')
    frame.src = '${origin}/frame.html'
    frame.title = 'Secure card payment input frame'
    frame.style.cssText = 'border:0;width:100%;height:240px'
    frame.addEventListener('load', onLoad)
    at.append(frame)
    return frame
  }`

const stripe = `(() => {${common('https://js.stripe.com')}
  window.Stripe = (key) => {
    if (!key.startsWith('pk_test_')) throw new Error('Invalid API key')
    return {
      elements(options) {
        const isPayment = options.mode === 'payment' && options.amount > 0
        const isSetup = options.mode === 'setup' && !('amount' in options)
        if (!(isPayment || isSetup) || !options.currency) throw new Error('Invalid options')
        let isSubmitted = false
        return {
          update(changes) {
            if (isSetup && 'amount' in changes) throw new Error('A setup has no amount')
            Object.assign(options, changes)
          },
          async submit() {
            isSubmitted = isComplete()
            return isSubmitted ? {} : { error: { type: 'validation_error' } }
          },
          isSubmitted: () => isSubmitted,
          create(type) {
            if (type !== 'payment') throw new Error('Unknown element')
            const listeners = {}
            let frame
            return {
              on(event, listener) { listeners[event] = listener },
              mount(at) { frame = frameIn(at, () => listeners.ready()) },
              destroy() { frame?.remove() },
            }
          },
        }
      },
      async createConfirmationToken({ elements }) {
        if (!elements.isSubmitted()) throw new Error('elements.submit() must be called first')
        return { confirmationToken: { id: 'ctoken_sim_' + scenario(), payment_method_preview: { card: {
          brand: 'visa', last4: typed.number.slice(-4), exp_month: 12, exp_year: 2030, funding: 'credit', country: 'US' } } } }
      },
    }
  }
})()`

const adyen = `(() => {${common('https://checkoutshopper-test.adyen.com')}
  class Card {
    constructor(checkout, options) { this.options = options }
    mount(at) {
      this.frame = frameIn(at, () => this.options.onConfigSuccess({ iframesConfigured: true }))
      addEventListener('message', () => {
        this.options.onBrand({ brand: 'visa' })
        if (typed.number.length > 12) this.options.onFieldValid({ endDigits: typed.number.slice(-4) })
        this.options.onChange({ isValid: isComplete(), data: { paymentMethod: { type: 'scheme', brand: 'visa',
          encryptedCardNumber: 'test_' + typed.number, encryptedExpiryMonth: 'test_12',
          encryptedExpiryYear: 'test_2030', encryptedSecurityCode: 'test_' + typed.cvc } } })
      })
      return this
    }
    showValidation() {}
    unmount() { this.frame.remove() }
  }
  window.AdyenWeb = {
    Card,
    async AdyenCheckout({ clientKey, countryCode, environment }) {
      if (!clientKey || !countryCode || environment !== 'test') throw new Error('Invalid configuration')
      return {}
    },
  }
})()`

const mollie = `(() => {${common('https://js.mollie.com')}
  window.Mollie = (profileId, { testmode }) => {
    if (!profileId.startsWith('pfl_') || testmode !== true) throw new Error('Invalid profile')
    let frame
    return {
      createComponent: () => ({ mount(at) { frame = frameIn(at, () => {}) }, unmount() { frame.remove() } }),
      createToken: async () => isComplete() ? { token: 'tkn_sim_' + scenario() } : { error: { field: 'cardNumber' } },
    }
  }
})()`

/** A field of VGS, in its own frame. */
const vgsFrame = (label: string) => `<!doctype html><html lang="en"><title>Field</title>
<style>body{margin:0}input{font:16px system-ui;width:95%;height:40px;border:0}</style>
<main><input aria-label="${label}"></main>
<script>addEventListener('input', ({ target }) => parent.postMessage(
  { field: new URLSearchParams(location.search).get('field'), value: target.value }, '*'))</script>`

const vgs = `(() => {
  const types = { 'card-number': 'validCardNumber', 'card-expiration-date': 'validCardExpirationDate',
    'card-security-code': 'validCardSecurityCode' }
  window.VGSCollect = {
    create(vaultId, environment, onState) {
      if (!/^tnt[a-z0-9]+$/.test(vaultId) || environment !== 'sandbox') throw new Error('Invalid vault')
      const options = {}, typed = {}
      let route = null
      const isValid = (name) => (typed[name] ?? '').length >= (name === 'number' ? 12 : 3)
      addEventListener('message', ({ origin, data }) => {
        if (origin !== 'https://js.verygoodvault.com') return
        typed[data.field] = data.value
        onState(Object.fromEntries(Object.keys(options).map((name) => [name, { isValid: isValid(name),
          ...(name === 'number' && isValid(name) && { cardType: 'visa', bin: typed.number.slice(0, 6), last4: typed.number.slice(-4) }) }])))
      })
      const frames = []
      return {
        setRouteId(id) { route = id },
        field(selector, field) {
          const at = document.querySelector(selector)
          if (at === null || !field.validations.includes(types[field.type])) throw new Error('Invalid field')
          options[field.name] = field
          const frame = document.createElement('iframe')
          frame.src = 'https://js.verygoodvault.com/frame.html?' + new URLSearchParams({ field: field.name, label: field.ariaLabel })
          frame.title = field.ariaLabel
          frames.push(frame)
          const promise = new Promise((resolve) => frame.addEventListener('load', resolve))
          at.append(frame)
          return { promise }
        },
        async tokenize(onResponse, onInvalid) {
          const names = Object.keys(options)
          if (!names.every(isValid)) return onInvalid({})
          const stored = names.filter((name) => options[name].tokenization !== false)
          const data = stored.map((name) => ({ ...options[name].tokenization, value: typed[name] }))
          const response = await fetch('https://' + vaultId + '-' + route + '.sandbox.verygoodproxy.com/aliases',
            { method: 'POST', body: JSON.stringify({ data }) }).catch(() => null)
          if (!response?.ok) return onResponse(response?.status ?? null, null)
          const aliases = (await response.json()).data.map((entry, index) => [stored[index], entry.aliases[0].alias])
          onResponse(200, { ...typed, ...Object.fromEntries(aliases) })
        },
        unmount() { for (const frame of frames) frame.remove() },
      }
    },
  }
})()`

const basisTheory = `(() => {${common('https://js.basistheory.com')}
  window.basistheory = async (key) => {
    if (!key) throw new Error('An API key is required')
    return {
      createElement(type, { targetId }) {
        if (type !== 'card' || !targetId) throw new Error('Invalid element')
        let frame
        return {
          on(event, listener) {
            if (event === 'change') addEventListener('message', () => listener({ complete: isComplete() }))
          },
          mount: (selector) => new Promise((resolve) => { frame = frameIn(document.querySelector(selector), resolve) }),
          unmount() { frame.remove() },
        }
      },
      tokens: {
        async create({ type }) {
          const [month, year] = typed.expiry.split('/').map(Number)
          const response = await fetch('https://api.basistheory.com/tokens', {
            method: 'POST',
            headers: { 'bt-api-key': key, 'content-type': 'application/json' },
            body: JSON.stringify({ type, data: { number: typed.number, cvc: typed.cvc,
              expiration_month: month, expiration_year: 2000 + year } }),
          })
          if (!response.ok) throw new Error('The API responded with ' + response.status)
          return response.json()
        },
      },
    }
  }
})()`

const script = { contentType: 'text/javascript' }
const stubs: Readonly<Record<string, { readonly origin: string; readonly body: string }>> = {
  stripe: { origin: 'https://js.stripe.com', body: stripe },
  adyen: { origin: 'https://checkoutshopper-test.adyen.com', body: adyen },
  mollie: { origin: 'https://js.mollie.com', body: mollie },
  vgs: { origin: 'https://js.verygoodvault.com', body: vgs },
  basis_theory: { origin: 'https://js.basistheory.com', body: basisTheory },
}
const basisTheoryApi = 'https://api.basistheory.com'
/** The host of the emulated vault at which VGS creates aliases. */
const vgsVault = 'https://tntemulated-00000000-0000-4000-8000-000000000000.sandbox.verygoodproxy.com'
export const stubOrigins = [...Object.values(stubs).map(({ origin }) => origin), basisTheoryApi, vgsVault]

/**
 * Serves the stubs. The scripts of the components in `broken` never load. The page waits for 8 seconds; on a slow machine
 * other components could need longer, so the timeout is longer for them and shorter for the broken ones.
 */
export async function serveStubs(context: BrowserContext, broken: readonly string[] = []): Promise<void> {
  await context.addInitScript({
    content: `{
      const isBroken = ${JSON.stringify(broken)}.includes(new URLSearchParams(location.search).get('fields'))
      const setRealTimeout = setTimeout
      window.setTimeout = (run, ms, ...rest) =>
        setRealTimeout(run, ms === 8_000 ? (isBroken ? 1_000 : 120_000) : ms, ...rest)
    }`,
  })
  for (const [component, { origin, body }] of Object.entries(stubs))
    await context.route(`${origin}/**`, (route) => {
      const { pathname, searchParams } = new URL(route.request().url())
      const label = searchParams.get('label')
      const html = label === null ? frame(origin) : vgsFrame(label)
      if (pathname === '/frame.html') return route.fulfill({ contentType: 'text/html', body: html })
      if (pathname.endsWith('.css')) return route.fulfill({ contentType: 'text/css', body: '' })
      // A request without a response.
      if (broken.includes(component)) return
      return route.fulfill({ ...script, body })
    })
}

const vaultCalls = {
  basis_theory: { api: basisTheoryApi, path: 'basis_theory/tokens' },
  vgs: { api: vgsVault, path: 'vgs/aliases' },
} as const

/** The script of the vault stores cards in the simulated vault. Returns the values that were sent to it. */
export async function serveVault(
  context: BrowserContext,
  vault: VaultName,
  simulatorUrl: string,
): Promise<{ readonly sent: string[] }> {
  const { api, path } = vaultCalls[vault]
  const sent: string[] = []
  await context.route(`${api}/**`, async (route) => {
    const body = route.request().postData() ?? ''
    sent.push(body)
    const key = route.request().headers()['bt-api-key']
    const response = await fetch(`${simulatorUrl}/vaults/${path}`, {
      method: 'POST',
      headers: key === undefined ? {} : { 'bt-api-key': key, 'content-type': 'application/json' },
      body,
    })
    const headers = { 'access-control-allow-origin': '*' }
    await route.fulfill({ status: response.status, headers, body: await response.text() })
  })
  return { sent }
}

/** VGS has a frame for each field. */
export async function typeCardInVgsFrames(
  page: Pick<Page, 'frameLocator'>,
  number: string = cards.approved,
): Promise<void> {
  const values = { number, expiry: '12 / 30', cvc: '123' }
  for (const [name, value] of Object.entries(values))
    await page.frameLocator(`#card-fields-${name} iframe`).getByRole('textbox').fill(value)
}

export function cardFrame(page: Pick<Page, 'frameLocator'>): FrameLocator {
  return page.frameLocator('.card-fields iframe')
}

/** `page`: the payment page, or the frame of the payment element. */
export async function typeCardInFrame(
  page: Pick<Page, 'frameLocator'>,
  number: string = cards.approved,
): Promise<void> {
  const frame = cardFrame(page)
  await frame.getByLabel('Card number').fill(number)
  await frame.getByLabel('Expiry date').fill('12/30')
  await frame.getByLabel('Security code').fill('123')
}
