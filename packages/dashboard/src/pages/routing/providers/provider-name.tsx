/** The name and the mark of a provider. The marks are neutral: the logos of providers are not used. */
import type { ProviderAccount } from '@switchyard/sdk'

const names: { readonly [Id in ProviderAccount['provider']]: string } = {
  simulator: 'Simulator',
  custom: 'Custom',
  stripe: 'Stripe',
  adyen: 'Adyen',
  mollie: 'Mollie',
  checkout_com: 'Checkout.com',
  paypal: 'PayPal',
}

export function providerNameOf({ provider, config }: Pick<ProviderAccount, 'provider' | 'config'>): string {
  return config.emulated === true ? `${names[provider]} (emulated)` : names[provider]
}

export function isConnector({ provider }: Pick<ProviderAccount, 'provider'>): boolean {
  return provider !== 'simulator' && provider !== 'custom'
}

export function ProviderName({ account }: { account: ProviderAccount }) {
  return (
    <span className="inline-flex items-center gap-1.5 text-ink2">
      <span
        aria-hidden="true"
        className="grid size-5 place-items-center rounded border border-line text-compact font-bold"
      >
        {names[account.provider].slice(0, 1)}
      </span>
      {providerNameOf(account)}
    </span>
  )
}
