/**
 * Writes an e-invoice as UN/CEFACT Cross Industry Invoice D16B, the syntax of Factur-X, ZUGFeRD and XRechnung. Elements
 * are in the order of the schema.
 */

import { element, textElement, toXml, type XmlElement } from './e-invoice-elements.ts'
import { decimalOf, guidelines, processOf, shownPercentage, unitCode } from './e-invoice-format.ts'
import type { DatePeriod, EInvoice, ModelLine, ModelParty } from './e-invoice-model.ts'

const unece = 'urn:un:unece:uncefact:data:standard'
const namespaces = {
  'xmlns:rsm': `${unece}:CrossIndustryInvoice:100`,
  'xmlns:ram': `${unece}:ReusableAggregateBusinessInformationEntity:100`,
  'xmlns:qdt': `${unece}:QualifiedDataType:100`,
  'xmlns:udt': `${unece}:UnqualifiedDataType:100`,
}

export function toCii(document: EInvoice): string {
  return toXml('rsm:CrossIndustryInvoice', namespaces, [
    element(
      'rsm:ExchangedDocumentContext',
      element(
        'ram:BusinessProcessSpecifiedDocumentContextParameter',
        textElement('ram:ID', processOf(document.profile)),
      ),
      element(
        'ram:GuidelineSpecifiedDocumentContextParameter',
        textElement('ram:ID', guidelines[document.profile]),
      ),
    ),
    element(
      'rsm:ExchangedDocument',
      textElement('ram:ID', document.number),
      textElement('ram:TypeCode', document.typeCode),
      element('ram:IssueDateTime', dateElement('udt', document.issueDate)),
      element('ram:IncludedNote', textElement('ram:Content', document.note)),
    ),
    element(
      'rsm:SupplyChainTradeTransaction',
      document.lines.map((line) => lineElement(document, line)),
      agreement(document),
      delivery(document),
      settlement(document),
    ),
  ])
}

function lineElement({ currency }: EInvoice, line: ModelLine): XmlElement | null {
  const amount = (minorUnits: bigint | string) => decimalOf(String(minorUnits), currency)
  return element(
    'ram:IncludedSupplyChainTradeLineItem',
    element('ram:AssociatedDocumentLineDocument', textElement('ram:LineID', line.id)),
    element('ram:SpecifiedTradeProduct', textElement('ram:Name', line.name)),
    element(
      'ram:SpecifiedLineTradeAgreement',
      element(
        'ram:NetPriceProductTradePrice',
        textElement('ram:ChargeAmount', amount(line.price)),
        textElement('ram:BasisQuantity', String(line.baseQuantity), { unitCode }),
      ),
    ),
    element(
      'ram:SpecifiedLineTradeDelivery',
      textElement('ram:BilledQuantity', String(line.quantity), { unitCode }),
    ),
    element(
      'ram:SpecifiedLineTradeSettlement',
      element(
        'ram:ApplicableTradeTax',
        textElement('ram:TypeCode', 'VAT'),
        textElement('ram:CategoryCode', line.category),
        textElement('ram:RateApplicablePercent', shownPercentage(line)),
      ),
      periodElement(line.period),
      line.adjustments.map(({ isCharge, amount: adjusted, reason }) =>
        element(
          'ram:SpecifiedTradeAllowanceCharge',
          element('ram:ChargeIndicator', textElement('udt:Indicator', String(isCharge))),
          textElement('ram:ActualAmount', amount(adjusted)),
          textElement('ram:Reason', reason),
        ),
      ),
      element(
        'ram:SpecifiedTradeSettlementLineMonetarySummation',
        textElement('ram:LineTotalAmount', amount(line.net)),
      ),
    ),
  )
}

function agreement({ buyerReference, seller, buyer, purchaseOrder }: EInvoice): XmlElement | null {
  return element(
    'ram:ApplicableHeaderTradeAgreement',
    textElement('ram:BuyerReference', buyerReference),
    party('ram:SellerTradeParty', seller),
    party('ram:BuyerTradeParty', buyer),
    element('ram:BuyerOrderReferencedDocument', textElement('ram:IssuerAssignedID', purchaseOrder)),
  )
}

function party(
  name: string,
  { address, contact, electronicAddress, ...model }: ModelParty,
): XmlElement | null {
  return element(
    name,
    textElement('ram:Name', model.name),
    textElement('ram:Description', model.legalInformation),
    element('ram:SpecifiedLegalOrganization', textElement('ram:ID', model.registrationNumber)),
    contact === null
      ? null
      : element(
          'ram:DefinedTradeContact',
          textElement('ram:PersonName', contact.name),
          element('ram:TelephoneUniversalCommunication', textElement('ram:CompleteNumber', contact.phone)),
          element('ram:EmailURIUniversalCommunication', textElement('ram:URIID', contact.email)),
        ),
    element(
      'ram:PostalTradeAddress',
      textElement('ram:PostcodeCode', address.postalCode),
      textElement('ram:LineOne', address.line1),
      textElement('ram:LineTwo', address.line2),
      textElement('ram:CityName', address.city),
      textElement('ram:CountryID', address.country),
      textElement('ram:CountrySubDivisionName', address.state),
    ),
    electronicAddress === null
      ? null
      : element(
          'ram:URIUniversalCommunication',
          textElement('ram:URIID', electronicAddress.value, { schemeID: electronicAddress.scheme }),
        ),
    element('ram:SpecifiedTaxRegistration', textElement('ram:ID', model.vatId, { schemeID: 'VA' })),
    element('ram:SpecifiedTaxRegistration', textElement('ram:ID', model.taxNumber, { schemeID: 'FC' })),
  )
}

/** The schema requires the element, even without content. */
function delivery({ deliveryCountry }: EInvoice): XmlElement {
  const shipTo = element(
    'ram:ShipToTradeParty',
    element('ram:PostalTradeAddress', textElement('ram:CountryID', deliveryCountry)),
  )
  return {
    name: 'ram:ApplicableHeaderTradeDelivery',
    attributes: {},
    content: shipTo === null ? [] : [shipTo],
  }
}

function settlement(document: EInvoice): XmlElement | null {
  const { payment, currency, precedingInvoice } = document
  return element(
    'ram:ApplicableHeaderTradeSettlement',
    textElement('ram:PaymentReference', payment.reference),
    textElement('ram:InvoiceCurrencyCode', currency.toUpperCase()),
    paymentMeans(document),
    vatBreakdown(document),
    periodElement(document.period),
    element(
      'ram:SpecifiedTradePaymentTerms',
      textElement('ram:Description', document.paymentTerms),
      element('ram:DueDateDateTime', dateElement('udt', document.dueDate)),
    ),
    totals(document),
    precedingInvoice === null
      ? null
      : element(
          'ram:InvoiceReferencedDocument',
          textElement('ram:IssuerAssignedID', precedingInvoice.number),
          element('ram:FormattedIssueDateTime', dateElement('qdt', precedingInvoice.issueDate)),
        ),
  )
}

function paymentMeans({ payment: { meansCode, account } }: EInvoice): XmlElement | null {
  return element(
    'ram:SpecifiedTradeSettlementPaymentMeans',
    textElement('ram:TypeCode', meansCode),
    account === null
      ? null
      : element(
          'ram:PayeePartyCreditorFinancialAccount',
          textElement('ram:IBANID', account.iban),
          textElement('ram:AccountName', account.holder),
        ),
    element('ram:PayeeSpecifiedCreditorFinancialInstitution', textElement('ram:BICID', account?.bic ?? null)),
  )
}

function vatBreakdown({ breakdown, currency }: EInvoice): (XmlElement | null)[] {
  return breakdown.map((group) =>
    element(
      'ram:ApplicableTradeTax',
      textElement('ram:CalculatedAmount', decimalOf(String(group.tax), currency)),
      textElement('ram:TypeCode', 'VAT'),
      textElement('ram:ExemptionReason', group.exemption?.reason ?? null),
      textElement('ram:BasisAmount', decimalOf(String(group.taxable), currency)),
      textElement('ram:CategoryCode', group.category),
      textElement('ram:ExemptionReasonCode', group.exemption?.code ?? null),
      textElement('ram:RateApplicablePercent', shownPercentage(group)),
    ),
  )
}

function totals({ totals: sums, currency }: EInvoice): XmlElement | null {
  const amount = (name: string, value: bigint, attributes = {}) =>
    textElement(`ram:${name}`, decimalOf(String(value), currency), attributes)
  return element(
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
    amount('LineTotalAmount', sums.lines),
    amount('TaxBasisTotalAmount', sums.excludingVat),
    amount('TaxTotalAmount', sums.vat, { currencyID: currency.toUpperCase() }),
    amount('GrandTotalAmount', sums.includingVat),
    sums.paid === 0n ? null : amount('TotalPrepaidAmount', sums.paid),
    amount('DuePayableAmount', sums.payable),
  )
}

function periodElement(period: DatePeriod | null): XmlElement | null {
  return element(
    'ram:BillingSpecifiedPeriod',
    element('ram:StartDateTime', dateElement('udt', period?.start ?? null)),
    element('ram:EndDateTime', dateElement('udt', period?.end ?? null)),
  )
}

/** Format 102 is `20261118`. */
function dateElement(namespace: 'udt' | 'qdt', date: string | null): XmlElement | null {
  return textElement(`${namespace}:DateTimeString`, date?.replaceAll('-', '') ?? null, { format: '102' })
}
