/** The documented members of the requests, from the OpenAPI document of Checkout v72, and the checks that use them. */
import type { Reply } from '../../faults.ts'
import { isObject } from '../../protocol.ts'
import { invalid, serviceError } from './errors.ts'

export type Members = { readonly [name: string]: unknown }

const structures = {
  PaymentRequest: `accountInfo additionalAmount additionalData amount applicationInfo authenticationData bankAccount
    billingAddress browserInfo captureDelayHours channel checkoutAttemptId company countryCode dateOfBirth dccQuote
    deliverAt deliveryAddress deliveryDate deviceFingerprint enableOneClick enablePayOut enableRecurring
    enhancedSchemeData entityType fraudOffset fundOrigin fundRecipient industryUsage installments lineItems
    localizedShopperStatement mandate mcc merchantAccount merchantOrderReference merchantRiskIndicator metadata mpiData
    order orderReference origin paymentMethod paymentValidations platformChargebackLogic recurringExpiry
    recurringFrequency recurringProcessingModel redirectFromIssuerMethod redirectToIssuerMethod reference returnUrl
    riskData sessionValidity shopperConversionId shopperEmail shopperIP shopperInteraction shopperLocale shopperName
    shopperReference shopperStatement shopperTaxInfo socialSecurityNumber splits store storePaymentMethod subMerchants
    surcharge telephoneNumber threeDS2RequestData threeDSAuthenticationOnly trustedShopper`,
  CardDetails: `billingSequenceNumber brand checkoutAttemptId cupsecureplus.smscode cvc encryptedCard
    encryptedCardNumber encryptedExpiryMonth encryptedExpiryYear encryptedPassword encryptedSecurityCode expiryMonth
    expiryYear fastlaneData fundingSource holderName networkPaymentReference number recurringDetailReference sdkData
    shopperNotificationReference srcCorrelationId srcDigitalCardId srcScheme srcTokenReference storedPaymentMethodId
    threeDS2SdkVersion type`,
  Amount: 'currency value',
  BrowserInfo: `acceptHeader colorDepth javaEnabled javaScriptEnabled language screenHeight screenWidth timeZoneOffset
    userAgent`,
  BillingAddress: 'city country houseNumberOrName postalCode stateOrProvince street',
  AuthenticationData: 'attemptAuthentication authenticationOnly threeDSRequestData',
  ThreeDSRequestData: 'challengeWindowSize dataOnly nativeThreeDS threeDSVersion',
  PaymentDetailsRequest: 'authenticationData details paymentData threeDSAuthenticationOnly',
  PaymentCompletionDetails: `MD PaReq PaRes authorization_token billingToken cupsecureplus.smscode
    facilitatorAccessToken oneTimePasscode orderID payerID payload paymentID paymentStatus redirectResult resultCode
    returnUrlQueryString threeDSResult threeds2.challengeResult threeds2.fingerprint vaultToken`,
  PaymentCaptureRequest: `amount applicationInfo enhancedSchemeData lineItems merchantAccount platformChargebackLogic
    reference splits subMerchants`,
  PaymentCancelRequest: 'applicationInfo merchantAccount reference',
  PaymentRefundRequest: `amount applicationInfo capturePspReference enhancedSchemeData lineItems merchantAccount
    merchantRefundReason reference splits store`,
  PaymentReversalRequest: 'applicationInfo merchantAccount reference',
  StandalonePaymentCancelRequest: 'applicationInfo merchantAccount paymentReference reference',
  PaymentMethodsRequest: `additionalData allowedPaymentMethods amount blockedPaymentMethods browserInfo channel
    countryCode merchantAccount order shopperConversionId shopperEmail shopperIP shopperLocale shopperReference
    splitCardFundingSources store storeFiltrationMode telephoneNumber`,
}
export type Structure = keyof typeof structures

const documentedMembers = new Map(
  Object.entries(structures).map(([name, members]) => [name, new Set(members.split(/\s+/))]),
)

/** The maximum lengths of text members, wherever they occur. */
const maxLengths: { readonly [name: string]: number } = {
  reference: 80,
  returnUrl: 1024,
  origin: 80,
  shopperReference: 256,
  shopperEmail: 256,
  shopperIP: 50,
  shopperStatement: 10_000,
  storedPaymentMethodId: 64,
  holderName: 15_000,
  postalCode: 10,
  stateOrProvince: 3,
  redirectResult: 20_000,
}

/** Why the object does not have this structure; null if it does. */
export function structureProblem(structure: Structure, object: unknown): Reply | null {
  if (!isObject(object)) return serviceError(400, '702', `Unexpected input: expected ${structure}`)
  const documented = documentedMembers.get(structure)
  const unknown = Object.keys(object).filter((name) => !documented?.has(name))
  if (unknown.length > 0) {
    const names = unknown.join(', ')
    return invalid('702', `Structure of ${structure} contains the following unknown fields: [${names}]`)
  }
  const tooLong = Object.entries(maxLengths).find(([name, length]) => {
    const value = object[name]
    return value !== undefined && (typeof value !== 'string' || value.length > length)
  })
  return tooLong === undefined ? null : invalid('702', `Field '${tooLong[0]}' is not valid.`)
}

/** Like `structureProblem`, for a member that may be missing. */
export function memberProblem(structure: Structure, object: unknown): Reply | null {
  return object === undefined ? null : structureProblem(structure, object)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Whether the value is missing, or one of these. */
export function isOneOf(value: unknown, ...values: readonly unknown[]): boolean {
  return value === undefined || values.includes(value)
}
