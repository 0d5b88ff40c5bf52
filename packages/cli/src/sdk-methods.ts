/** Maps operations of the API to methods of the SDK, for the CLI and the API reference. */

/** Operations whose method is not named after the operation. */
const exceptions: { readonly [operation: string]: string } = {
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

/** `webhook_endpoints.rotate_secret` is `webhookEndpoints.rotateSecret`. Has no side effects. */
export function sdkMethodOf(operation: string): string {
  return exceptions[operation] ?? camelCase(operation)
}

/** Converts snake_case to camelCase, as the SDK and commander name methods and options. */
export function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
