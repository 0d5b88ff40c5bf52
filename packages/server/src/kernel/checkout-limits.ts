/** How many declined payments the hosted payment pages allow per window, as configured by the operator. */
export type CheckoutLimits = {
  readonly windowSeconds: number
  readonly network: number
  readonly link: number
  readonly workspace: number
}
