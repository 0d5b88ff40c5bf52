import type { Shop } from './buying.ts'

/** The request as a route handler gets it. */
export type ShopRequest = {
  readonly shop: Shop
  readonly id: string
  readonly query: URLSearchParams
  readonly form: URLSearchParams
  readonly shopperId: string
}

export type ShopResponse =
  | { readonly page: string; readonly status?: number }
  | { readonly text: string }
  | { readonly redirectTo: string }
