/**
 * Writes an e-invoice as UBL 2.1, the syntax of Peppol and of XRechnung. Credit notes are documents of their own type.
 * Elements are in the order of the schema.
 */

import { element, textElement, toXml, type XmlElement } from './e-invoice-elements.ts'
import { decimalOf, guidelines, processOf, shownPercentage, unitCode } from './e-invoice-format.ts'
import type { DatePeriod, EInvoice, ModelLine, ModelParty } from './e-invoice-model.ts'

const oasis = 'urn:oasis:names:specification:ubl:schema:xsd'

/** The names that differ between the two types of documents. */
const invoiceNames = {
  root: 'Invoice',
  typeCode: 'cbc:InvoiceTypeCode',
  line: 'cac:InvoiceLine',
  quantity: 'cbc:InvoicedQuantity',
}
const creditNoteNames = {
  root: 'CreditNote',
  typeCode: 'cbc:CreditNoteTypeCode',
  line: 'cac:CreditNoteLine',
  quantity: 'cbc:CreditedQuantity',
}

export function toUbl(document: EInvoice): string {
  const names = document.typeCode === '380' ? invoiceNames : creditNoteNames
  const { precedingInvoice } = document
  const namespaces = {
    xmlns: `${oasis}:${names.root}-2`,
    'xmlns:cac': `${oasis}:CommonAggregateComponents-2`,
    'xmlns:cbc': `${oasis}:CommonBasicComponents-2`,
  }
  return toXml(names.root, namespaces, [
    textElement('cbc:CustomizationID', guidelines[document.profile]),
    textElement('cbc:ProfileID', processOf(document.profile)),
    textElement('cbc:ID', document.number),
    textElement('cbc:IssueDate', document.issueDate),
    textElement('cbc:DueDate', document.dueDate),
    textElement(names.typeCode, document.typeCode),
    textElement('cbc:Note', document.note),
    textElement('cbc:DocumentCurrencyCode', document.currency.toUpperCase()),
    textElement('cbc:BuyerReference', document.buyerReference),
    periodElement(document.period),
    element('cac:OrderReference', textElement('cbc:ID', document.purchaseOrder)),
    precedingInvoice === null
      ? null
      : element(
          'cac:BillingReference',
          element(
            'cac:InvoiceDocumentReference',
            textElement('cbc:ID', precedingInvoice.number),
            textElement('cbc:IssueDate', precedingInvoice.issueDate),
          ),
        ),
    element('cac:AccountingSupplierParty', party(document.seller)),
    element('cac:AccountingCustomerParty', party(document.buyer)),
    delivery(document),
    paymentMeans(document),
    element('cac:PaymentTerms', textElement('cbc:Note', document.paymentTerms)),
    taxTotal(document),
    monetaryTotal(document),
    ...document.lines.map((line) => lineElement(document, line, names)),
  ])
}

function party({ address, contact, electronicAddress, ...model }: ModelParty): XmlElement | null {
  return element(
    'cac:Party',
    electronicAddress === null
      ? null
      : textElement('cbc:EndpointID', electronicAddress.value, { schemeID: electronicAddress.scheme }),
    element(
      'cac:PostalAddress',
      textElement('cbc:StreetName', address.line1),
      textElement('cbc:AdditionalStreetName', address.line2),
      textElement('cbc:CityName', address.city),
      textElement('cbc:PostalZone', address.postalCode),
      textElement('cbc:CountrySubentity', address.state),
      element('cac:Country', textElement('cbc:IdentificationCode', address.country)),
    ),
    taxScheme(model.vatId, 'VAT'),
    taxScheme(model.taxNumber, 'FC'),
    element(
      'cac:PartyLegalEntity',
      textElement('cbc:RegistrationName', model.name),
      textElement('cbc:CompanyID', model.registrationNumber),
      textElement('cbc:CompanyLegalForm', model.legalInformation),
    ),
    contact === null
      ? null
      : element(
          'cac:Contact',
          textElement('cbc:Name', contact.name),
          textElement('cbc:Telephone', contact.phone),
          textElement('cbc:ElectronicMail', contact.email),
        ),
  )
}

function taxScheme(id: string | null, scheme: 'VAT' | 'FC'): XmlElement | null {
  if (id === null) return null
  return element('cac:PartyTaxScheme', textElement('cbc:CompanyID', id), schemeElement(scheme))
}

const schemeElement = (scheme: string) => element('cac:TaxScheme', textElement('cbc:ID', scheme))

function delivery({ deliveryCountry }: EInvoice): XmlElement | null {
  const country = element('cac:Country', textElement('cbc:IdentificationCode', deliveryCountry))
  return element('cac:Delivery', element('cac:DeliveryLocation', element('cac:Address', country)))
}

function paymentMeans({ payment: { meansCode, reference, account } }: EInvoice): XmlElement | null {
  return element(
    'cac:PaymentMeans',
    textElement('cbc:PaymentMeansCode', meansCode),
    textElement('cbc:PaymentID', reference),
    account === null
      ? null
      : element(
          'cac:PayeeFinancialAccount',
          textElement('cbc:ID', account.iban),
          textElement('cbc:Name', account.holder),
          element('cac:FinancialInstitutionBranch', textElement('cbc:ID', account.bic)),
        ),
  )
}

function amountElement({ currency }: EInvoice, name: string, minorUnits: bigint | string): XmlElement | null {
  return textElement(`cbc:${name}`, decimalOf(String(minorUnits), currency), {
    currencyID: currency.toUpperCase(),
  })
}

function taxTotal(document: EInvoice): XmlElement | null {
  return element(
    'cac:TaxTotal',
    amountElement(document, 'TaxAmount', document.totals.vat),
    document.breakdown.map((group) =>
      element(
        'cac:TaxSubtotal',
        amountElement(document, 'TaxableAmount', group.taxable),
        amountElement(document, 'TaxAmount', group.tax),
        element(
          'cac:TaxCategory',
          textElement('cbc:ID', group.category),
          textElement('cbc:Percent', shownPercentage(group)),
          textElement('cbc:TaxExemptionReasonCode', group.exemption?.code ?? null),
          textElement('cbc:TaxExemptionReason', group.exemption?.reason ?? null),
          schemeElement('VAT'),
        ),
      ),
    ),
  )
}

function monetaryTotal(document: EInvoice): XmlElement | null {
  const { totals } = document
  return element(
    'cac:LegalMonetaryTotal',
    amountElement(document, 'LineExtensionAmount', totals.lines),
    amountElement(document, 'TaxExclusiveAmount', totals.excludingVat),
    amountElement(document, 'TaxInclusiveAmount', totals.includingVat),
    totals.paid === 0n ? null : amountElement(document, 'PrepaidAmount', totals.paid),
    amountElement(document, 'PayableAmount', totals.payable),
  )
}

function lineElement(document: EInvoice, line: ModelLine, names: typeof invoiceNames): XmlElement | null {
  return element(
    names.line,
    textElement('cbc:ID', line.id),
    textElement(names.quantity, String(line.quantity), { unitCode }),
    amountElement(document, 'LineExtensionAmount', line.net),
    periodElement(line.period),
    line.adjustments.map(({ isCharge, amount, reason }) =>
      element(
        'cac:AllowanceCharge',
        textElement('cbc:ChargeIndicator', String(isCharge)),
        textElement('cbc:AllowanceChargeReason', reason),
        amountElement(document, 'Amount', amount),
      ),
    ),
    element(
      'cac:Item',
      textElement('cbc:Name', line.name),
      element(
        'cac:ClassifiedTaxCategory',
        textElement('cbc:ID', line.category),
        textElement('cbc:Percent', shownPercentage(line)),
        schemeElement('VAT'),
      ),
    ),
    element(
      'cac:Price',
      amountElement(document, 'PriceAmount', line.price),
      textElement('cbc:BaseQuantity', String(line.baseQuantity), { unitCode }),
    ),
  )
}

function periodElement(period: DatePeriod | null): XmlElement | null {
  return element(
    'cac:InvoicePeriod',
    textElement('cbc:StartDate', period?.start ?? null),
    textElement('cbc:EndDate', period?.end ?? null),
  )
}
