/** What is wrong with a payment request, apart from its amount and its card. No side effects. */
import type { Reply } from '../../faults.ts'
import { isObject } from '../../protocol.ts'
import { invalid } from './errors.ts'
import { isOneOf, isText, type Members, memberProblem } from './structures.ts'

const recurringModels = ['CardOnFile', 'Subscription', 'UnscheduledCardOnFile']

export function paymentProblem(body: Members): Reply | null {
  if (!isText(body.reference)) return invalid('130', "Required field 'reference' is not provided.")
  if (!isText(body.returnUrl)) return invalid('14_030', "Required field 'returnUrl' is not provided.")
  if (!isObject(body.paymentMethod))
    return invalid('14_004', "Required object 'paymentMethod' is not provided.")
  return (
    nestedProblem(body) ??
    choiceProblem(body) ??
    captureProblem(body) ??
    metadataProblem(body.metadata) ??
    shopperProblem(body)
  )
}

function nestedProblem({ browserInfo, billingAddress: address, authenticationData }: Members): Reply | null {
  const problem =
    memberProblem('BrowserInfo', browserInfo) ??
    memberProblem('BillingAddress', address) ??
    memberProblem('AuthenticationData', authenticationData) ??
    (isObject(authenticationData)
      ? memberProblem('ThreeDSRequestData', authenticationData.threeDSRequestData)
      : null)
  if (problem !== null) return problem
  // A redirect needs the first two members; the others only improve the authentication.
  if (isObject(browserInfo) && !(isText(browserInfo.userAgent) && isText(browserInfo.acceptHeader)))
    return invalid('702', "Fields 'userAgent' and 'acceptHeader' of browserInfo are required.")
  const required = ['city', 'country', 'houseNumberOrName', 'postalCode', 'street']
  const missing = isObject(address) ? required.find((name) => typeof address[name] !== 'string') : undefined
  return missing === undefined
    ? null
    : invalid('702', `Field '${missing}' of billingAddress is not provided.`)
}

function choiceProblem(body: Members): Reply | null {
  const authentication = (body.authenticationData ?? {}) as Members
  const threeDS = (authentication.threeDSRequestData ?? {}) as Members
  const isValid =
    isOneOf(body.channel, 'iOS', 'Android', 'Web') &&
    isOneOf(body.shopperInteraction, 'Ecommerce', 'ContAuth', 'Moto', 'POS') &&
    isOneOf(body.recurringProcessingModel, ...recurringModels) &&
    isOneOf(body.storePaymentMethod, true, false) &&
    isOneOf(authentication.attemptAuthentication, 'always', 'never') &&
    isOneOf(threeDS.nativeThreeDS, 'preferred', 'disabled')
  return isValid ? null : invalid('702', 'A field does not have one of its allowed values.')
}

function captureProblem({ captureDelayHours: hours, additionalData = {} }: Members): Reply | null {
  if (!isObject(additionalData) || Object.values(additionalData).some((value) => typeof value !== 'string'))
    return invalid('702', "Values of 'additionalData' must be texts.")
  // A delayed automatic capture is not emulated.
  return isOneOf(hours, 0) ? null : invalid('702', "Field 'captureDelayHours' is not valid.")
}

function metadataProblem(metadata: unknown): Reply | null {
  if (metadata === undefined) return null
  const entries = isObject(metadata) ? Object.entries(metadata) : null
  const isWithinLimits = (entries ?? []).every(
    ([name, value]) => name.length <= 20 && typeof value === 'string' && value.length <= 80,
  )
  if (entries !== null && entries.length <= 20 && isWithinLimits) return null
  return invalid('177', 'Metadata size exceeds limit')
}

function shopperProblem({
  shopperReference,
  storePaymentMethod,
  paymentMethod,
  ...body
}: Members): Reply | null {
  const isStored = isObject(paymentMethod) && paymentMethod.storedPaymentMethodId !== undefined
  const isNeeded = storePaymentMethod === true || isStored
  if (shopperReference === undefined && isNeeded)
    return invalid('139', 'Recurring requires shopperEmail and shopperReference')
  if (isText(shopperReference) && shopperReference.length < 3)
    return invalid('702', "Field 'shopperReference' must have at least 3 characters.")
  if (isStored && body.recurringProcessingModel === undefined)
    return invalid('702', "Required field 'recurringProcessingModel' is not provided.")
  return null
}
