/** The texts of e-mails in the languages of the payment page. `{seller}` and `{date}` are replaced. */
import type { MailKind } from './mail.ts'

type KindTexts = { readonly subject: string; readonly body: string; readonly button?: string }

export type Texts = {
  readonly kinds: { readonly [K in MailKind]: KindTexts }
  readonly held: string
  readonly test: string
  readonly updateCard: string
  readonly amount: string
  readonly amountDue: string
  readonly date: string
  readonly method: string
  readonly reference: string
  readonly invoice: string
  readonly statement: string
}

const en: Texts = {
  kinds: {
    receipt: { subject: 'Your receipt from {seller}', body: 'Thank you for your payment.' },
    payment_failed: {
      subject: 'Your payment to {seller} failed',
      body: 'We could not charge your card. Please pay the invoice, or use another card.',
      button: 'Pay invoice',
    },
    action_required: {
      subject: 'Confirm your payment to {seller}',
      body: 'We need your confirmation to complete this payment.',
      button: 'Confirm payment',
    },
    invoice_finalized: {
      subject: 'Your invoice from {seller}',
      body: 'Your invoice is ready.',
      button: 'View invoice',
    },
    card_expiring: {
      subject: 'Your card for {seller} expires soon',
      body: 'Your card expires before the next payment. Please update it so that your subscription continues.',
    },
    trial_ending: {
      subject: 'Your trial at {seller} ends on {date}',
      body: 'Your trial ends on {date}. Your paid subscription starts then, unless you cancel first.',
    },
    renewal_upcoming: {
      subject: 'Your subscription at {seller} renews on {date}',
      body: 'Your subscription renews on {date}. You do not have to do anything.',
    },
    cancelled: {
      subject: 'Your subscription at {seller} is cancelled',
      body: 'Your subscription is cancelled. You will not be charged for it again.',
    },
    refunded: {
      subject: 'Your refund from {seller}',
      body: 'We have refunded your payment. It can take a few days until the amount appears on your statement.',
    },
  },
  held: 'Thank you. The amount is authorized on your card and will be charged later.',
  test: 'This is a test. No money was moved.',
  updateCard: 'Update card',
  amount: 'Amount',
  amountDue: 'Amount due',
  date: 'Date',
  method: 'Paid with',
  reference: 'Reference',
  invoice: 'Invoice',
  statement: 'On your statement',
}

const de: Texts = {
  kinds: {
    receipt: { subject: 'Ihr Beleg von {seller}', body: 'Vielen Dank. Sie haben bezahlt.' },
    payment_failed: {
      subject: 'Ihre Zahlung an {seller} ist fehlgeschlagen',
      body: 'Wir konnten Ihre Karte nicht belasten. Bitte bezahlen Sie die Rechnung, oder verwenden Sie eine andere Karte.',
      button: 'Rechnung bezahlen',
    },
    action_required: {
      subject: 'Bestätigen Sie Ihre Zahlung an {seller}',
      body: 'Um diese Zahlung abzuschließen, benötigen wir Ihre Bestätigung.',
      button: 'Zahlung bestätigen',
    },
    invoice_finalized: {
      subject: 'Ihre Rechnung von {seller}',
      body: 'Ihre Rechnung ist da.',
      button: 'Rechnung ansehen',
    },
    card_expiring: {
      subject: 'Ihre Karte für {seller} läuft bald ab',
      body: 'Ihre Karte läuft vor der nächsten Zahlung ab. Bitte aktualisieren Sie sie, damit Ihr Abonnement weiterläuft.',
    },
    trial_ending: {
      subject: 'Ihre Testphase bei {seller} endet am {date}',
      body: 'Ihre Testphase endet am {date}. Danach beginnt Ihr kostenpflichtiges Abonnement, sofern Sie nicht vorher kündigen.',
    },
    renewal_upcoming: {
      subject: 'Ihr Abonnement bei {seller} verlängert sich am {date}',
      body: 'Ihr Abonnement verlängert sich am {date}. Sie müssen nichts tun.',
    },
    cancelled: {
      subject: 'Ihr Abonnement bei {seller} ist gekündigt',
      body: 'Ihr Abonnement ist gekündigt. Es wird dafür nichts mehr abgebucht.',
    },
    refunded: {
      subject: 'Ihre Erstattung von {seller}',
      body: 'Wir haben Ihre Zahlung erstattet. Es kann einige Tage dauern, bis der Betrag auf Ihrer Abrechnung erscheint.',
    },
  },
  held: 'Vielen Dank. Der Betrag ist auf Ihrer Karte vorgemerkt und wird später abgebucht.',
  test: 'Das war ein Test. Es wurde kein Geld bewegt.',
  updateCard: 'Karte aktualisieren',
  amount: 'Betrag',
  amountDue: 'Offener Betrag',
  date: 'Datum',
  method: 'Bezahlt mit',
  reference: 'Referenz',
  invoice: 'Rechnung',
  statement: 'Auf Ihrer Abrechnung',
}

const es: Texts = {
  kinds: {
    receipt: { subject: 'Su recibo de {seller}', body: 'Gracias. Ha pagado.' },
    payment_failed: {
      subject: 'Su pago a {seller} ha fallado',
      body: 'No hemos podido cobrar en su tarjeta. Pague la factura o utilice otra tarjeta.',
      button: 'Pagar factura',
    },
    action_required: {
      subject: 'Confirme su pago a {seller}',
      body: 'Necesitamos su confirmación para completar este pago.',
      button: 'Confirmar pago',
    },
    invoice_finalized: {
      subject: 'Su factura de {seller}',
      body: 'Su factura está lista.',
      button: 'Ver factura',
    },
    card_expiring: {
      subject: 'Su tarjeta para {seller} caduca pronto',
      body: 'Su tarjeta caduca antes del próximo pago. Actualícela para que su suscripción continúe.',
    },
    trial_ending: {
      subject: 'Su prueba en {seller} termina el {date}',
      body: 'Su prueba termina el {date}. Después empieza su suscripción de pago, salvo que la cancele antes.',
    },
    renewal_upcoming: {
      subject: 'Su suscripción a {seller} se renueva el {date}',
      body: 'Su suscripción se renueva el {date}. No tiene que hacer nada.',
    },
    cancelled: {
      subject: 'Su suscripción a {seller} está cancelada',
      body: 'Su suscripción está cancelada. No se le volverá a cobrar.',
    },
    refunded: {
      subject: 'Su reembolso de {seller}',
      body: 'Hemos reembolsado su pago. El importe puede tardar unos días en aparecer en su extracto.',
    },
  },
  held: 'Gracias. El importe está retenido en su tarjeta y se cobrará más tarde.',
  test: 'Esto fue una prueba. No se movió dinero.',
  updateCard: 'Actualizar tarjeta',
  amount: 'Importe',
  amountDue: 'Importe pendiente',
  date: 'Fecha',
  method: 'Pagado con',
  reference: 'Referencia',
  invoice: 'Factura',
  statement: 'En su extracto',
}

const fr: Texts = {
  kinds: {
    receipt: { subject: 'Votre reçu de {seller}', body: 'Merci. Vous avez payé.' },
    payment_failed: {
      subject: 'Votre paiement à {seller} a échoué',
      body: 'Nous n’avons pas pu débiter votre carte. Veuillez payer la facture ou utiliser une autre carte.',
      button: 'Payer la facture',
    },
    action_required: {
      subject: 'Confirmez votre paiement à {seller}',
      body: 'Nous avons besoin de votre confirmation pour terminer ce paiement.',
      button: 'Confirmer le paiement',
    },
    invoice_finalized: {
      subject: 'Votre facture de {seller}',
      body: 'Votre facture est disponible.',
      button: 'Voir la facture',
    },
    card_expiring: {
      subject: 'Votre carte pour {seller} expire bientôt',
      body: 'Votre carte expire avant le prochain paiement. Veuillez la mettre à jour pour conserver votre abonnement.',
    },
    trial_ending: {
      subject: 'Votre essai chez {seller} se termine le {date}',
      body: 'Votre essai se termine le {date}. Votre abonnement payant commence ensuite, sauf si vous l’annulez avant.',
    },
    renewal_upcoming: {
      subject: 'Votre abonnement à {seller} se renouvelle le {date}',
      body: 'Votre abonnement se renouvelle le {date}. Vous n’avez rien à faire.',
    },
    cancelled: {
      subject: 'Votre abonnement à {seller} est résilié',
      body: 'Votre abonnement est résilié. Vous ne serez plus débité.',
    },
    refunded: {
      subject: 'Votre remboursement de {seller}',
      body: 'Nous avons remboursé votre paiement. Le montant peut apparaître sur votre relevé après quelques jours.',
    },
  },
  held: 'Merci. Le montant est réservé sur votre carte et sera débité plus tard.',
  test: 'C’était un test. Aucun argent n’a été débité.',
  updateCard: 'Mettre à jour la carte',
  amount: 'Montant',
  amountDue: 'Montant dû',
  date: 'Date',
  method: 'Payé avec',
  reference: 'Référence',
  invoice: 'Facture',
  statement: 'Sur votre relevé',
}

const ja: Texts = {
  kinds: {
    receipt: { subject: '{seller}からの領収書', body: 'お支払いありがとうございました。' },
    payment_failed: {
      subject: '{seller}へのお支払いができませんでした',
      body: 'カードに請求できませんでした。請求書をお支払いいただくか、別のカードをご利用ください。',
      button: '請求書を支払う',
    },
    action_required: {
      subject: '{seller}へのお支払いをご確認ください',
      body: 'このお支払いを完了するには、お客様の確認が必要です。',
      button: '支払いを確認する',
    },
    invoice_finalized: {
      subject: '{seller}からの請求書',
      body: '請求書をご確認いただけます。',
      button: '請求書を見る',
    },
    card_expiring: {
      subject: '{seller}でご利用のカードの有効期限が近づいています',
      body: '次回のお支払いの前にカードの有効期限が切れます。ご契約を続けるには、カードを更新してください。',
    },
    trial_ending: {
      subject: '{seller}のトライアルは{date}に終了します',
      body: 'トライアルは{date}に終了します。それまでに解約されない場合、有料のご契約が始まります。',
    },
    renewal_upcoming: {
      subject: '{seller}のご契約は{date}に更新されます',
      body: 'ご契約は{date}に更新されます。お手続きは不要です。',
    },
    cancelled: {
      subject: '{seller}のご契約は解約されました',
      body: 'ご契約は解約されました。今後の請求はありません。',
    },
    refunded: {
      subject: '{seller}からの返金',
      body: 'お支払いを返金しました。ご利用明細に表示されるまで数日かかることがあります。',
    },
  },
  held: 'ありがとうございます。金額はカードで確保され、後日引き落とされます。',
  test: 'これはテストです。実際の引き落としはありません。',
  updateCard: 'カードを更新',
  amount: '金額',
  amountDue: '未払い額',
  date: '日付',
  method: 'お支払い方法',
  reference: '照会番号',
  invoice: '請求書',
  statement: 'ご利用明細の表示',
}

const ar: Texts = {
  kinds: {
    receipt: { subject: 'إيصالك من {seller}', body: 'شكرًا لك. لقد تم الدفع.' },
    payment_failed: {
      subject: 'تعذّر إتمام دفعتك إلى {seller}',
      body: 'لم نتمكن من الخصم من بطاقتك. يُرجى دفع الفاتورة أو استخدام بطاقة أخرى.',
      button: 'ادفع الفاتورة',
    },
    action_required: {
      subject: 'أكّد دفعتك إلى {seller}',
      body: 'نحتاج إلى تأكيدك لإتمام هذه الدفعة.',
      button: 'أكّد الدفع',
    },
    invoice_finalized: {
      subject: 'فاتورتك من {seller}',
      body: 'فاتورتك جاهزة.',
      button: 'اعرض الفاتورة',
    },
    card_expiring: {
      subject: 'بطاقتك لدى {seller} ستنتهي صلاحيتها قريبًا',
      body: 'تنتهي صلاحية بطاقتك قبل الدفعة التالية. يُرجى تحديثها ليستمر اشتراكك.',
    },
    trial_ending: {
      subject: 'تنتهي فترتك التجريبية لدى {seller} في {date}',
      body: 'تنتهي فترتك التجريبية في {date}. يبدأ بعدها اشتراكك المدفوع ما لم تلغه قبل ذلك.',
    },
    renewal_upcoming: {
      subject: 'يتجدد اشتراكك لدى {seller} في {date}',
      body: 'يتجدد اشتراكك في {date}. ليس عليك فعل أي شيء.',
    },
    cancelled: {
      subject: 'أُلغي اشتراكك لدى {seller}',
      body: 'أُلغي اشتراكك. لن يُخصم منك أي مبلغ مقابله بعد الآن.',
    },
    refunded: {
      subject: 'المبلغ المسترد من {seller}',
      body: 'لقد رددنا دفعتك. قد يستغرق ظهور المبلغ في كشف حسابك بضعة أيام.',
    },
  },
  held: 'شكرًا لك. المبلغ محجوز على بطاقتك وسيُخصم لاحقًا.',
  test: 'كان هذا اختبارًا. لم يتم تحويل أي أموال.',
  updateCard: 'تحديث البطاقة',
  amount: 'المبلغ',
  amountDue: 'المبلغ المستحق',
  date: 'التاريخ',
  method: 'تم الدفع بواسطة',
  reference: 'المرجع',
  invoice: 'الفاتورة',
  statement: 'في كشف حسابك',
}

export const languages: { readonly [language: string]: Texts } = { en, de, es, fr, ja, ar }
