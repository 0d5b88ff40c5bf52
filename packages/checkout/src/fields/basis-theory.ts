/**
 * The card element of Basis Theory. It creates a token of the card in the vault; the server reads the card details from
 * the vault. The token has the CVC, which the vault keeps for a limited time.
 *
 * Source: developers.basistheory.com/docs/sdks/web/web-elements.
 */
import { loadScript, type Mount } from './adapter.ts'

type CardElement = {
  mount(selector: string): Promise<void>
  unmount(): void
  on(event: 'change', listener: (event: { readonly complete: boolean }) => void): unknown
}
type BasisTheory = {
  createElement(type: 'card', options: object): CardElement
  readonly tokens: {
    create(token: object): Promise<{ readonly id?: string }>
  }
}

export const mount: Mount = async (at, { config }) => {
  const create = await loadScript<(key: string) => Promise<BasisTheory>>(
    'https://js.basistheory.com/web-elements/2.12.2/index.js',
    'basistheory',
  )
  const vault = await create(config.public_api_key ?? '')
  const element = vault.createElement('card', { targetId: 'vault-card' })
  let isComplete = false
  element.on('change', ({ complete }) => {
    isComplete = complete
  })
  await element.mount(`#${at.id}`)
  return {
    async tokenize() {
      if (!isComplete) return { is: 'invalid' }
      const { id } = await vault.tokens.create({ type: 'card', data: element })
      return id === undefined ? { is: 'failed' } : { is: 'token', token: id, card: null }
    },
    destroy: () => element.unmount(),
  }
}
