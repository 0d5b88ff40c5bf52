/** The names of all providers, in the order in which they are listed. */
const connectorNames = ['stripe', 'adyen', 'mollie', 'checkout_com', 'paypal'] as const
export type ConnectorName = (typeof connectorNames)[number]

export const providerNames = ['simulator', 'custom', ...connectorNames] as const
export type ProviderName = (typeof providerNames)[number]
