/** What the SDK calls an operation. The command line calls it so, and the reference says so. */

/** Those that it has under another name than that of the operation. */
const renamed: { readonly [operation: string]: string } = {
  'customers.billing_state': 'subscriptions.billingState',
  'public_checkout_sessions.confirm': 'checkoutSessions.confirm',
  'public_checkout_sessions.get': 'checkoutSessions.getPublic',
  'route_simulations.cancel': 'paymentRoutes.cancelSimulation',
  'route_simulations.get': 'paymentRoutes.getSimulation',
  'route_simulations.list': 'paymentRoutes.listSimulations',
  'search.list': 'search',
  'webhook_recoveries.cancel': 'webhookEndpoints.cancelRecovery',
  'webhook_recoveries.create': 'webhookEndpoints.recover',
  'webhook_recoveries.get': 'webhookEndpoints.getRecovery',
  'webhook_recoveries.list': 'webhookEndpoints.listRecoveries',
}

/** Pure. `webhook_endpoints.rotate_secret` is `webhookEndpoints.rotateSecret`. */
export function sdkMethodOf(operation: string): string {
  return renamed[operation] ?? camel(operation)
}

/** How the SDK and commander call it. */
export function camel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
