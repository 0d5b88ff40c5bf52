/**
 * The connectors: the providers whose API Switchyard calls directly. The folder of a connector is named after
 * its id.
 */
import { adyen } from './adyen/provider.ts'
import { checkoutCom } from './checkout-com/provider.ts'
import type { ConnectorConfig, Provider } from './contract.ts'
import { mollie } from './mollie/provider.ts'
import { paypal } from './paypal/provider.ts'
import type { ConnectorName } from './provider-names.ts'
import { stripe } from './stripe/provider.ts'

const connectorsByName: { readonly [Name in ConnectorName]: Provider<ConnectorConfig> } = {
  stripe,
  adyen,
  mollie,
  checkout_com: checkoutCom,
  paypal,
}

export const connectors: readonly Provider<ConnectorConfig>[] = Object.values(connectorsByName)
