/** The UI text of the hosted invoice page, in the languages of the payment page. */
export type Texts = {
  readonly invoice: string
  readonly amountDue: string
  readonly dueOn: string
  readonly total: string
  readonly tax: string
  /** The label of tax that is included in the amounts. */
  readonly taxIncluded: string
  readonly pay: string
  readonly confirm: string
  readonly download: string
  readonly paid: string
  readonly processing: string
  readonly closed: string
  readonly test: string
  readonly item: string
}

const en: Texts = {
  invoice: 'Invoice',
  amountDue: 'Amount due',
  dueOn: 'Due on',
  total: 'Total',
  tax: 'Tax',
  taxIncluded: 'Includes tax',
  pay: 'Pay',
  confirm: 'Confirm payment',
  download: 'Download PDF',
  paid: 'This invoice is paid. Thank you.',
  processing: 'A payment is being processed. Reload this page in a moment.',
  closed: 'This invoice does not have to be paid.',
  test: 'Test mode. No money is moved.',
  item: 'Item',
}

export const languages = {
  en,
  de: {
    invoice: 'Rechnung',
    amountDue: 'Offener Betrag',
    dueOn: 'Fällig am',
    total: 'Summe',
    tax: 'Steuer',
    taxIncluded: 'Enthaltene Steuer',
    pay: 'Bezahlen',
    confirm: 'Zahlung bestätigen',
    download: 'PDF herunterladen',
    paid: 'Diese Rechnung ist bezahlt. Vielen Dank.',
    processing: 'Eine Zahlung wird gerade verarbeitet. Laden Sie diese Seite in Kürze neu.',
    closed: 'Diese Rechnung muss nicht bezahlt werden.',
    test: 'Testmodus. Es wird kein Geld bewegt.',
    item: 'Position',
  },
  es: {
    invoice: 'Factura',
    amountDue: 'Importe pendiente',
    dueOn: 'Vence el',
    total: 'Total',
    tax: 'Impuestos',
    taxIncluded: 'Impuestos incluidos',
    pay: 'Pagar',
    confirm: 'Confirmar pago',
    download: 'Descargar PDF',
    paid: 'Esta factura está pagada. Gracias.',
    processing: 'Se está procesando un pago. Vuelva a cargar esta página en un momento.',
    closed: 'No es necesario pagar esta factura.',
    test: 'Modo de prueba. No se mueve dinero.',
    item: 'Concepto',
  },
  fr: {
    invoice: 'Facture',
    amountDue: 'Montant dû',
    dueOn: 'À régler pour le',
    total: 'Total',
    tax: 'Taxes',
    taxIncluded: 'Taxes comprises',
    pay: 'Payer',
    confirm: 'Confirmer le paiement',
    download: 'Télécharger le PDF',
    paid: 'Cette facture est payée. Merci.',
    processing: 'Un paiement est en cours. Rechargez cette page dans un instant.',
    closed: 'Cette facture n’est pas à payer.',
    test: 'Mode test. Aucun argent n’est débité.',
    item: 'Article',
  },
  ja: {
    invoice: '請求書',
    amountDue: '未払い額',
    dueOn: '支払期限',
    total: '合計',
    tax: '税額',
    taxIncluded: '内税額',
    pay: '支払う',
    confirm: '支払いを確認する',
    download: 'PDFをダウンロード',
    paid: 'この請求書はお支払い済みです。ありがとうございました。',
    processing: 'お支払いを処理しています。しばらくしてからページを再読み込みしてください。',
    closed: 'この請求書のお支払いは不要です。',
    test: 'テストモードです。実際の引き落としはありません。',
    item: '項目',
  },
  ar: {
    invoice: 'فاتورة',
    amountDue: 'المبلغ المستحق',
    dueOn: 'تاريخ الاستحقاق',
    total: 'الإجمالي',
    tax: 'الضريبة',
    taxIncluded: 'الضريبة المشمولة',
    pay: 'ادفع',
    confirm: 'أكّد الدفع',
    download: 'تنزيل PDF',
    paid: 'هذه الفاتورة مدفوعة. شكرًا لك.',
    processing: 'تجري معالجة دفعة. أعد تحميل هذه الصفحة بعد قليل.',
    closed: 'لا يلزم دفع هذه الفاتورة.',
    test: 'وضع الاختبار. لا يتم تحويل أي أموال.',
    item: 'البند',
  },
} as const satisfies { readonly [language: string]: Texts }
