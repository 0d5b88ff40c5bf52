/** All dialects by name. */
import type { Dialects } from '../simulator-state.ts'
import { adyen } from './adyen/dialect.ts'
import { checkoutCom } from './checkout-com/dialect.ts'
import { mollie } from './mollie/dialect.ts'
import { paypal } from './paypal/dialect.ts'
import { stripe } from './stripe/dialect.ts'

export const dialects: Dialects = { stripe, adyen, mollie, checkout_com: checkoutCom, paypal }
