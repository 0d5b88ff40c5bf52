/**
 * The card form of Mollie Components. It returns a card token, which the server sends with the payment. Mollie then
 * redirects the payer to the bank. It reports no details of the card, and no event when it is ready.
 *
 * Sources: docs.mollie.com/docs/mollie-components and docs.mollie.com/reference/mollie-object.
 */
import { loadScript, type Mount } from './adapter.ts'

type Component = { mount(at: HTMLElement): void; unmount(): void }
type MollieObject = {
  createComponent(type: 'card'): Component
  createToken(): Promise<{
    readonly token?: string
    readonly error?: { readonly field?: string; readonly message?: string }
  }>
}

/** The languages that both Mollie and this page support. Other languages use Mollie's default. */
const locales: Readonly<Record<string, string>> = { de: 'de_DE', en: 'en_US', es: 'es_ES', fr: 'fr_FR' }

export const mount: Mount = async (at, { config, locale }) => {
  const create = await loadScript<(profileId: string, options: object) => MollieObject>(
    'https://js.mollie.com/v1/mollie.js',
    'Mollie',
  )
  const language = locales[locale.slice(0, 2)]
  const mollie = create(config.profile_id ?? '', {
    testmode: config.testmode === 'true',
    ...(language !== undefined && { locale: language }),
  })
  const form = mollie.createComponent('card')
  form.mount(at)
  return {
    async tokenize() {
      const { token } = await mollie.createToken()
      return token === undefined ? { is: 'invalid' } : { is: 'token', token, card: null }
    },
    destroy: () => form.unmount(),
  }
}
