/**
 * The response codes of Checkout.com: 10000 is an approval, 20xxx a soft decline and 30xxx a hard decline. Most end
 * with the response code of the card network. No side effects.
 */
import type { Decline, OperationRecord } from '../../protocol.ts'

export type ResponseCode = { readonly response_code: string; readonly response_summary: string }

// biome-ignore format: a table.
const summaries: { readonly [code: string]: string } = {
  '10000': 'Approved',
  '20001': 'Refer to card issuer',              '20002': 'Refer to card issuer - Special conditions',
  '20003': 'Invalid merchant or service provider', '20005': 'Declined - Do Not Honour',
  '20006': 'Error / Invalid Request Parameters', '20012': 'Invalid Transaction',
  '20013': 'Invalid Value/Amount',              '20014': 'Invalid Card Number',
  '20019': 'Re-enter Transaction',              '20030': 'Format Error',
  '20051': 'Insufficient Funds',                '20054': 'Expired Card',
  '20055': 'Incorrect PIN',                     '20057': 'Transaction not Permitted to Cardholder',
  '20058': 'Transaction not Permitted to Terminal', '20059': 'Suspected Fraud',
  '20061': 'Activity Amount Limit Exceeded',    '20062': 'Restricted Card',
  '20063': 'Security Violation',                '20065': 'Exceeds Withdrawal Frequency Limit',
  '20070': 'PIN Data Required',
  '20075': 'Allowable PIN-Entry Tries Exceeded', '20078': 'Blocked at First Use',
  '20082': 'No Security Model',                 '20090': 'Cut-Off in Progress',
  '20091': 'Issuer Unavailable or Switch is Inoperative', '20092': 'Destination Cannot be Found for Routing',
  '20093': 'Transaction Cannot be Completed; Violation of Law', '20094': 'Duplicate Transmission / Invoice',
  '20096': 'System Malfunction',                '20151': 'Cardholder failed 3DS authentication',
  '20152': 'Initial 3DS transaction not completed within 15 minutes', '20153': '3DS system malfunction',
  '20154': '3DS authentication required',       '20183': 'Security',
  '30004': 'Pick Up Card (No Fraud)',           '30007': 'Pick Up Card - Special Conditions',
  '30015': 'No Such Issuer',                    '30034': 'Suspected Fraud - Pick Up',
  '30036': 'Restricted Card - Pick Up',         '30041': 'Lost Card - Pick Up',
  '30043': 'Stolen Card - Pick Up',             '30046': 'Closed Account',
}

/** Network codes whose response code does not begin with 200. */
const otherCodes: { readonly [networkCode: string]: string } = {
  ...Object.fromEntries('04 07 15 33 34 35 36 37 38 41 43 46'.split(' ').map((code) => [code, `300${code}`])),
  // Strong customer authentication is required.
  '1A': '20154',
  79: '20179',
  83: '20183',
  R0: '200R1',
}

/** Declines without a network code. */
const codesOfDeclines: { readonly [code: string]: string } = {
  authentication_failed: '20151',
  authentication_abandoned: '20152',
  authentication_unavailable: '20153',
}

export const duplicate: ResponseCode = withSummary('20094')

export function responseCodeOf({ status, decline }: OperationRecord): ResponseCode {
  if (status === 'succeeded') return withSummary('10000')
  return withSummary(decline === undefined ? '20006' : declineCodeOf(decline))
}

function declineCodeOf({ code, network_code: networkCode }: Decline): string {
  if (networkCode === undefined) return codesOfDeclines[code] ?? '20005'
  return otherCodes[networkCode] ?? `200${networkCode}`
}

function withSummary(code: string): ResponseCode {
  return { response_code: code, response_summary: summaries[code] ?? 'Declined' }
}
