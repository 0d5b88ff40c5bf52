import type { Shop } from './buying.ts'

/** What a function that answers needs to know. */
export type Visit = {
  readonly shop: Shop
  readonly id: string
  readonly query: URLSearchParams
  readonly form: URLSearchParams
  readonly shopperId: string
}

export type Answer =
  | { readonly page: string; readonly status?: number }
  | { readonly text: string }
  | { readonly goTo: string }
