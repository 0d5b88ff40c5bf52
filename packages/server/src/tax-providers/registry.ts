/** All tax providers. Each is in a folder named after its id. */
import { avatax } from './avatax/provider.ts'
import type { TaxProvider } from './contract.ts'
import { stripeTax } from './stripe-tax/provider.ts'
import type { TaxProviderName } from './tax-provider-names.ts'

export const taxProviders: { readonly [Name in TaxProviderName]: TaxProvider } = {
  stripe_tax: stripeTax,
  avatax,
}
