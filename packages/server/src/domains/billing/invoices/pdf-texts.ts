/** The text of the invoice PDF, in the languages of the hosted pages. */
import type { LineRule } from '../../../kernel/invoice-lines.ts'
import type { DocumentLanguage } from '../../../kernel/parties.ts'
import type { Line } from './invoice.ts'

export type PdfTexts = {
  readonly invoice: string
  readonly creditNote: string
  readonly forInvoice: string
  readonly draft: string
  readonly number: string
  readonly date: string
  readonly due: string
  readonly period: string
  readonly purchaseOrder: string
  readonly from: string
  readonly billedTo: string
  readonly taxId: string
  readonly description: string
  readonly quantity: string
  readonly unitPrice: string
  readonly amount: string
  readonly subtotal: string
  readonly discount: string
  readonly tax: string
  readonly total: string
  readonly creditApplied: string
  readonly creditGranted: string
  readonly paid: string
  readonly amountDue: string
  readonly taxRate: string
  readonly net: string
  readonly payOnline: string
  readonly bank: string
  /** `{page}` and `{count}` are replaced. */
  readonly page: string
  /** `{amount}` and `{date}` are replaced. */
  readonly headline: {
    readonly draft: string
    readonly void: string
    readonly credited: string
    readonly paid: string
    readonly due: string
  }
  readonly kinds: { readonly [K in Line['kind']]: string }
  readonly rules: { readonly [R in LineRule]: string }
}

const en: PdfTexts = {
  invoice: 'Invoice',
  creditNote: 'Credit note',
  forInvoice: 'For invoice',
  draft: 'Draft',
  number: 'Number',
  date: 'Date',
  due: 'Due',
  period: 'Period',
  purchaseOrder: 'Purchase order',
  from: 'From',
  billedTo: 'Billed to',
  taxId: 'Tax number',
  description: 'Description',
  quantity: 'Quantity',
  unitPrice: 'Unit price',
  amount: 'Amount',
  subtotal: 'Subtotal',
  discount: 'Discount',
  tax: 'Tax',
  total: 'Total',
  creditApplied: 'Credit applied',
  creditGranted: 'Credit granted',
  paid: 'Paid',
  amountDue: 'Amount due',
  taxRate: 'Tax rate',
  net: 'Net amount',
  payOnline: 'Pay online',
  bank: 'Bank account',
  page: 'Page {page} of {count}',
  headline: {
    draft: 'Draft: not payable yet',
    void: 'Voided on {date}: nothing is due',
    credited: '{amount} credited',
    paid: '{amount} paid on {date}',
    due: '{amount} due on {date}',
  },
  kinds: {
    cycle: 'Subscription',
    one_time: 'One-time charge',
    proration_credit: 'Unused time',
    proration_debit: 'Remaining time',
    carried: 'Carried over',
    usage: 'Usage',
    usage_correction: 'Usage correction',
  },
  rules: {
    full_period: 'full period',
    first_stub: 'partial first period',
    free_stub: 'partial first period, free of charge',
    remaining: 'remaining time of the period',
    unused: 'unused time',
    unused_paid: 'unused time, limited to the amount paid',
    carried: 'carried over',
    one_time: 'charged once',
    usage: 'usage',
    usage_correction: 'usage recorded or cancelled after billing',
    usage_paid: 'usage cancelled after billing, limited to the amount not yet returned',
  },
}

const de: PdfTexts = {
  invoice: 'Rechnung',
  creditNote: 'Gutschrift',
  forInvoice: 'Zur Rechnung',
  draft: 'Entwurf',
  number: 'Nummer',
  date: 'Datum',
  due: 'Fällig',
  period: 'Zeitraum',
  purchaseOrder: 'Bestellnummer',
  from: 'Von',
  billedTo: 'Rechnung an',
  taxId: 'Steuernummer',
  description: 'Beschreibung',
  quantity: 'Menge',
  unitPrice: 'Einzelpreis',
  amount: 'Betrag',
  subtotal: 'Zwischensumme',
  discount: 'Rabatt',
  tax: 'Steuer',
  total: 'Gesamtbetrag',
  creditApplied: 'Verrechnetes Guthaben',
  creditGranted: 'Gutgeschrieben',
  paid: 'Bezahlt',
  amountDue: 'Offener Betrag',
  taxRate: 'Steuersatz',
  net: 'Nettobetrag',
  payOnline: 'Online bezahlen',
  bank: 'Bankverbindung',
  page: 'Seite {page} von {count}',
  headline: {
    draft: 'Entwurf: noch nicht zahlbar',
    void: 'Storniert am {date}: nichts zu zahlen',
    credited: '{amount} gutgeschrieben',
    paid: '{amount} bezahlt am {date}',
    due: '{amount} fällig am {date}',
  },
  kinds: {
    cycle: 'Abonnement',
    one_time: 'Einmaliger Betrag',
    proration_credit: 'Nicht genutzte Zeit',
    proration_debit: 'Verbleibende Zeit',
    carried: 'Übertrag',
    usage: 'Nutzung',
    usage_correction: 'Korrektur der Nutzung',
  },
  rules: {
    full_period: 'voller Zeitraum',
    first_stub: 'anteiliger erster Zeitraum',
    free_stub: 'anteiliger erster Zeitraum, kostenlos',
    remaining: 'restliche Zeit des Zeitraums',
    unused: 'nicht genutzte Zeit',
    unused_paid: 'nicht genutzte Zeit, höchstens der bezahlte Betrag',
    carried: 'Übertrag',
    one_time: 'einmalig berechnet',
    usage: 'Nutzung',
    usage_correction: 'nach der Abrechnung erfasste oder stornierte Nutzung',
    usage_paid: 'nach der Abrechnung stornierte Nutzung, höchstens der noch nicht zurückgegebene Betrag',
  },
}

const es: PdfTexts = {
  invoice: 'Factura',
  creditNote: 'Nota de crédito',
  forInvoice: 'Para la factura',
  draft: 'Borrador',
  number: 'Número',
  date: 'Fecha',
  due: 'Vencimiento',
  period: 'Periodo',
  purchaseOrder: 'Orden de compra',
  from: 'De',
  billedTo: 'Facturado a',
  taxId: 'NIF/IVA',
  description: 'Descripción',
  quantity: 'Cantidad',
  unitPrice: 'Precio unitario',
  amount: 'Importe',
  subtotal: 'Subtotal',
  discount: 'Descuento',
  tax: 'Impuestos',
  total: 'Total',
  creditApplied: 'Saldo aplicado',
  creditGranted: 'Saldo abonado',
  paid: 'Pagado',
  amountDue: 'Importe pendiente',
  taxRate: 'Tipo impositivo',
  net: 'Base imponible',
  payOnline: 'Pagar en línea',
  bank: 'Cuenta bancaria',
  page: 'Página {page} de {count}',
  headline: {
    draft: 'Borrador: aún no se puede pagar',
    void: 'Anulada el {date}: no hay nada que pagar',
    credited: '{amount} abonados',
    paid: '{amount} pagados el {date}',
    due: '{amount} a pagar el {date}',
  },
  kinds: {
    cycle: 'Suscripción',
    one_time: 'Cargo único',
    proration_credit: 'Tiempo no utilizado',
    proration_debit: 'Tiempo restante',
    carried: 'Importe trasladado',
    usage: 'Consumo',
    usage_correction: 'Corrección del consumo',
  },
  rules: {
    full_period: 'periodo completo',
    first_stub: 'primer periodo parcial',
    free_stub: 'primer periodo parcial, gratuito',
    remaining: 'tiempo restante del periodo',
    unused: 'tiempo no utilizado',
    unused_paid: 'tiempo no utilizado, hasta el importe pagado',
    carried: 'trasladado',
    one_time: 'cobrado una vez',
    usage: 'consumo',
    usage_correction: 'consumo registrado o anulado tras la facturación',
    usage_paid: 'consumo anulado tras la facturación, hasta el importe aún no devuelto',
  },
}

const fr: PdfTexts = {
  invoice: 'Facture',
  creditNote: 'Avoir',
  forInvoice: 'Pour la facture',
  draft: 'Brouillon',
  number: 'Numéro',
  date: 'Date',
  due: 'Échéance',
  period: 'Période',
  purchaseOrder: 'Bon de commande',
  from: 'De',
  billedTo: 'Facturé à',
  taxId: 'N° fiscal',
  description: 'Description',
  quantity: 'Quantité',
  unitPrice: 'Prix unitaire',
  amount: 'Montant',
  subtotal: 'Sous-total',
  discount: 'Remise',
  tax: 'Taxes',
  total: 'Total',
  creditApplied: 'Avoir utilisé',
  creditGranted: 'Avoir accordé',
  paid: 'Payé',
  amountDue: 'Montant dû',
  taxRate: 'Taux',
  net: 'Montant net',
  payOnline: 'Payer en ligne',
  bank: 'Compte bancaire',
  page: 'Page {page} sur {count}',
  headline: {
    draft: 'Brouillon : pas encore payable',
    void: 'Annulée le {date} : rien à payer',
    credited: '{amount} crédités',
    paid: '{amount} payés le {date}',
    due: '{amount} à payer le {date}',
  },
  kinds: {
    cycle: 'Abonnement',
    one_time: 'Frais unique',
    proration_credit: 'Temps non utilisé',
    proration_debit: 'Temps restant',
    carried: 'Montant reporté',
    usage: 'Consommation',
    usage_correction: 'Correction de la consommation',
  },
  rules: {
    full_period: 'période complète',
    first_stub: 'première période partielle',
    free_stub: 'première période partielle, gratuite',
    remaining: 'temps restant de la période',
    unused: 'temps non utilisé',
    unused_paid: 'temps non utilisé, dans la limite du montant payé',
    carried: 'reporté',
    one_time: 'facturé une fois',
    usage: 'consommation',
    usage_correction: 'consommation enregistrée ou annulée après facturation',
    usage_paid: 'consommation annulée après facturation, dans la limite du montant non encore restitué',
  },
}

const ja: PdfTexts = {
  invoice: '請求書',
  creditNote: 'クレジットノート',
  forInvoice: '対象の請求書',
  draft: '下書き',
  number: '請求書番号',
  date: '発行日',
  due: '支払期日',
  period: '対象期間',
  purchaseOrder: '注文番号',
  from: '発行者',
  billedTo: '請求先',
  taxId: '登録番号',
  description: '内容',
  quantity: '数量',
  unitPrice: '単価',
  amount: '金額',
  subtotal: '小計',
  discount: '割引',
  tax: '税額',
  total: '合計',
  creditApplied: '充当残高',
  creditGranted: '付与残高',
  paid: '支払済み',
  amountDue: '未払い額',
  taxRate: '税率',
  net: '税抜金額',
  payOnline: 'オンラインで支払う',
  bank: '振込先',
  page: '{page} / {count} ページ',
  headline: {
    draft: '下書き：まだお支払いいただけません',
    void: '{date}に無効：お支払いは不要です',
    credited: '{amount} を残高に追加',
    paid: '{amount} {date}に支払済み',
    due: '{amount} 支払期日 {date}',
  },
  kinds: {
    cycle: 'サブスクリプション',
    one_time: '一回限りの料金',
    proration_credit: '未使用期間',
    proration_debit: '残りの期間',
    carried: '繰越',
    usage: '利用量',
    usage_correction: '利用量の訂正',
  },
  rules: {
    full_period: '全期間',
    first_stub: '初回の日割り',
    free_stub: '初回の日割り、無料',
    remaining: '残りの期間',
    unused: '未使用期間',
    unused_paid: '未使用期間、支払額まで',
    carried: '繰越',
    one_time: '一回のみ請求',
    usage: '利用量',
    usage_correction: '請求後に記録または取り消された利用量',
    usage_paid: '請求後に取り消された利用量、未返還額まで',
  },
}

const ar: PdfTexts = {
  invoice: 'فاتورة',
  creditNote: 'إشعار دائن',
  forInvoice: 'للفاتورة',
  draft: 'مسودة',
  number: 'الرقم',
  date: 'التاريخ',
  due: 'الاستحقاق',
  period: 'الفترة',
  purchaseOrder: 'أمر الشراء',
  from: 'من',
  billedTo: 'فاتورة إلى',
  taxId: 'الرقم الضريبي',
  description: 'الوصف',
  quantity: 'الكمية',
  unitPrice: 'سعر الوحدة',
  amount: 'المبلغ',
  subtotal: 'المجموع الفرعي',
  discount: 'الخصم',
  tax: 'الضريبة',
  total: 'الإجمالي',
  creditApplied: 'الرصيد المستخدم',
  creditGranted: 'الرصيد الممنوح',
  paid: 'المدفوع',
  amountDue: 'المبلغ المستحق',
  taxRate: 'نسبة الضريبة',
  net: 'المبلغ الصافي',
  payOnline: 'ادفع عبر الإنترنت',
  bank: 'الحساب المصرفي',
  page: 'صفحة {page} من {count}',
  headline: {
    draft: 'مسودة: لا يمكن دفعها بعد',
    void: 'أُلغيت في {date}: لا شيء مستحق',
    credited: 'أُضيف {amount} إلى الرصيد',
    paid: 'دُفع {amount} في {date}',
    due: '{amount} مستحق في {date}',
  },
  kinds: {
    cycle: 'اشتراك',
    one_time: 'رسم لمرة واحدة',
    proration_credit: 'وقت غير مستخدم',
    proration_debit: 'الوقت المتبقي',
    carried: 'مبلغ مرحّل',
    usage: 'الاستخدام',
    usage_correction: 'تصحيح الاستخدام',
  },
  rules: {
    full_period: 'فترة كاملة',
    first_stub: 'فترة أولى جزئية',
    free_stub: 'فترة أولى جزئية، مجانية',
    remaining: 'الوقت المتبقي من الفترة',
    unused: 'وقت غير مستخدم',
    unused_paid: 'وقت غير مستخدم، بحد أقصى المبلغ المدفوع',
    carried: 'مرحّل',
    one_time: 'يُحتسب مرة واحدة',
    usage: 'الاستخدام',
    usage_correction: 'استخدام سُجّل أو أُلغي بعد الفوترة',
    usage_paid: 'استخدام أُلغي بعد الفوترة، بحد أقصى المبلغ الذي لم يُرد بعد',
  },
}

export const pdfTexts: { readonly [L in DocumentLanguage]: PdfTexts } = { ar, de, en, es, fr, ja }
