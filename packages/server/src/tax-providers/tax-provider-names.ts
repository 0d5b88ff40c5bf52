export const taxProviderNames = ['stripe_tax', 'avatax'] as const
export type TaxProviderName = (typeof taxProviderNames)[number]
