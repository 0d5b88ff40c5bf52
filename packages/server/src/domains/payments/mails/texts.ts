/** The text of e-mails, in the languages of the payment page. `{seller}` and `{date}` are replaced. */
import type { MailFacts, MailKind } from './mail.ts'

type KindTexts = { readonly subject: string; readonly body: string; readonly button?: string }

export type Texts = {
  readonly kinds: { readonly [K in MailKind]: KindTexts }
  readonly held: string
  readonly test: string
  readonly updateCard: string
  readonly code: string
  readonly contract: string
  readonly received: string
  readonly declaration: string
  readonly declarations: { readonly [D in NonNullable<MailFacts['declaration']>]: string }
  readonly amount: string
  readonly amountDue: string
  readonly dueOn: string
  readonly date: string
  readonly method: string
  readonly bankAccount: string
  readonly mandate: string
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
    invoice_sent: {
      subject: 'Your invoice from {seller}: please pay',
      body: 'Here is your invoice. You can view, download and pay it online.',
      button: 'View and pay invoice',
    },
    invoice_reminder: {
      subject: 'Reminder: your invoice from {seller}',
      body: 'Your invoice is due on {date}. If you have paid it already, you can ignore this e-mail.',
      button: 'Pay invoice',
    },
    card_expiring: {
      subject: 'Your card for {seller} expires soon',
      body: 'Your card expires before the next payment. Please update it so that your subscription continues.',
    },
    trial_ending: {
      subject: 'Your trial with {seller} ends on {date}',
      body: 'Your trial ends on {date}. Your paid subscription starts then, unless you cancel first.',
    },
    renewal_upcoming: {
      subject: 'Your subscription with {seller} renews on {date}',
      body: 'Your subscription renews on {date}. You do not have to do anything.',
    },
    cancelled: {
      subject: 'Your subscription with {seller} is cancelled',
      body: 'Your subscription is cancelled. You will not be charged for it again.',
    },
    refunded: {
      subject: 'Your refund from {seller}',
      body: 'We have refunded your payment. It can take a few days until the amount appears on your statement.',
    },
    mandate_created: {
      subject: 'Your direct debit for {seller}',
      body: 'You have authorized {seller} to debit your bank account. Please keep this e-mail: it confirms the details.',
    },
    cancellation_received: {
      subject: '{seller} has received your request',
      body: 'We have received this request and are processing it. If this e-mail contains a button, use it to confirm that the request is yours, so that it takes effect without delay. If you did not send it, ignore this e-mail.',
      button: 'Confirm',
    },
    cancellation_confirmed: {
      subject: 'Your subscription with {seller} ends on {date}',
      body: 'We have processed your cancellation. Your subscription ends on {date}.',
    },
    login_code: {
      subject: 'Your code for {seller}',
      body: 'Enter this code on the payment page to use your saved cards. It is valid for ten minutes. If you did not request it, ignore this e-mail.',
    },
  },
  held: 'Thank you. The amount is authorized on your card and will be charged later.',
  test: 'This is a test. No money was moved.',
  updateCard: 'Update card',
  code: 'Code',
  contract: 'Contract',
  received: 'Received',
  declaration: 'Request',
  declarations: {
    cancellation: 'Cancellation at the end of the period',
    extraordinary: 'Extraordinary cancellation',
    withdrawal: 'Withdrawal from the contract',
  },
  amount: 'Amount',
  amountDue: 'Amount due',
  dueOn: 'Due on',
  date: 'Date',
  method: 'Paid with',
  bankAccount: 'Bank account',
  mandate: 'Mandate reference',
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
    invoice_sent: {
      subject: 'Ihre Rechnung von {seller}: bitte bezahlen',
      body: 'Hier ist Ihre Rechnung. Sie können sie online ansehen, herunterladen und bezahlen.',
      button: 'Rechnung ansehen und bezahlen',
    },
    invoice_reminder: {
      subject: 'Erinnerung: Ihre Rechnung von {seller}',
      body: 'Ihre Rechnung ist am {date} fällig. Falls Sie sie bereits bezahlt haben, können Sie diese E-Mail ignorieren.',
      button: 'Rechnung bezahlen',
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
    mandate_created: {
      subject: 'Ihre Lastschrift für {seller}',
      body: 'Sie haben {seller} ermächtigt, Ihr Bankkonto zu belasten. Bitte bewahren Sie diese E-Mail auf: Sie bestätigt die Angaben.',
    },
    cancellation_received: {
      subject: 'Ihre Erklärung an {seller} ist eingegangen',
      body: 'Wir haben diese Erklärung erhalten und bearbeiten sie. Enthält diese E-Mail eine Schaltfläche, bestätigen Sie damit, dass die Erklärung von Ihnen ist, damit sie ohne Verzögerung wirksam wird. Wenn Sie sie nicht gesendet haben, ignorieren Sie diese E-Mail.',
      button: 'Bestätigen',
    },
    cancellation_confirmed: {
      subject: 'Ihr Abonnement bei {seller} endet am {date}',
      body: 'Wir haben Ihre Kündigung bearbeitet. Ihr Abonnement endet am {date}.',
    },
    login_code: {
      subject: 'Ihr Code für {seller}',
      body: 'Geben Sie diesen Code auf der Zahlungsseite ein, um Ihre gespeicherten Karten zu verwenden. Er gilt zehn Minuten. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail.',
    },
  },
  held: 'Vielen Dank. Der Betrag ist auf Ihrer Karte vorgemerkt und wird später abgebucht.',
  test: 'Das war ein Test. Es wurde kein Geld bewegt.',
  updateCard: 'Karte aktualisieren',
  code: 'Code',
  contract: 'Vertrag',
  received: 'Eingegangen',
  declaration: 'Erklärung',
  declarations: {
    cancellation: 'Ordentliche Kündigung zum Ende des Zeitraums',
    extraordinary: 'Außerordentliche Kündigung',
    withdrawal: 'Widerruf des Vertrags',
  },
  amount: 'Betrag',
  amountDue: 'Offener Betrag',
  dueOn: 'Fällig am',
  date: 'Datum',
  method: 'Bezahlt mit',
  bankAccount: 'Bankkonto',
  mandate: 'Mandatsreferenz',
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
    invoice_sent: {
      subject: 'Su factura de {seller}: pendiente de pago',
      body: 'Esta es su factura. Puede verla, descargarla y pagarla en línea.',
      button: 'Ver y pagar la factura',
    },
    invoice_reminder: {
      subject: 'Recordatorio: su factura de {seller}',
      body: 'Su factura vence el {date}. Si ya la ha pagado, puede ignorar este correo.',
      button: 'Pagar factura',
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
    mandate_created: {
      subject: 'Su adeudo domiciliado para {seller}',
      body: 'Usted ha autorizado a {seller} a adeudar su cuenta bancaria. Conserve este correo: confirma los datos.',
    },
    cancellation_received: {
      subject: 'Hemos recibido su declaración a {seller}',
      body: 'Hemos recibido esta declaración y la estamos tramitando. Si este correo tiene un botón, confirme con él que la declaración es suya para que surta efecto sin demora. Si no la ha enviado, ignore este correo.',
      button: 'Confirmar',
    },
    cancellation_confirmed: {
      subject: 'Su suscripción a {seller} termina el {date}',
      body: 'Hemos tramitado su cancelación. Su suscripción termina el {date}.',
    },
    login_code: {
      subject: 'Su código para {seller}',
      body: 'Introduzca este código en la página de pago para usar sus tarjetas guardadas. Es válido durante diez minutos. Si no lo ha solicitado, ignore este correo.',
    },
  },
  held: 'Gracias. El importe está retenido en su tarjeta y se cobrará más tarde.',
  test: 'Esto fue una prueba. No se movió dinero.',
  updateCard: 'Actualizar tarjeta',
  code: 'Código',
  contract: 'Contrato',
  received: 'Recibida',
  declaration: 'Declaración',
  declarations: {
    cancellation: 'Cancelación al final del periodo',
    extraordinary: 'Cancelación extraordinaria',
    withdrawal: 'Desistimiento del contrato',
  },
  amount: 'Importe',
  amountDue: 'Importe pendiente',
  dueOn: 'Vencimiento',
  date: 'Fecha',
  method: 'Pagado con',
  bankAccount: 'Cuenta bancaria',
  mandate: 'Referencia del mandato',
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
    invoice_sent: {
      subject: 'Votre facture de {seller} : à régler',
      body: 'Voici votre facture. Vous pouvez la consulter, la télécharger et la payer en ligne.',
      button: 'Voir et payer la facture',
    },
    invoice_reminder: {
      subject: 'Rappel : votre facture de {seller}',
      body: 'Votre facture est à régler pour le {date}. Si vous l’avez déjà payée, vous pouvez ignorer cet e-mail.',
      button: 'Payer la facture',
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
    mandate_created: {
      subject: 'Votre prélèvement pour {seller}',
      body: 'Vous avez autorisé {seller} à débiter votre compte bancaire. Conservez cet e-mail : il confirme les informations.',
    },
    cancellation_received: {
      subject: 'Votre déclaration à {seller} a été reçue',
      body: 'Nous avons reçu cette déclaration et la traitons. Si cet e-mail contient un bouton, confirmez avec celui-ci que la déclaration vient de vous, afin qu’elle prenne effet sans délai. Si vous ne l’avez pas envoyée, ignorez cet e-mail.',
      button: 'Confirmer',
    },
    cancellation_confirmed: {
      subject: 'Votre abonnement à {seller} prend fin le {date}',
      body: 'Nous avons traité votre résiliation. Votre abonnement prend fin le {date}.',
    },
    login_code: {
      subject: 'Votre code pour {seller}',
      body: 'Saisissez ce code sur la page de paiement pour utiliser vos cartes enregistrées. Il est valable dix minutes. Si vous ne l’avez pas demandé, ignorez cet e-mail.',
    },
  },
  held: 'Merci. Le montant est réservé sur votre carte et sera débité plus tard.',
  test: 'C’était un test. Aucun argent n’a été débité.',
  updateCard: 'Mettre à jour la carte',
  code: 'Code',
  contract: 'Contrat',
  received: 'Reçue',
  declaration: 'Déclaration',
  declarations: {
    cancellation: 'Résiliation à la fin de la période',
    extraordinary: 'Résiliation pour motif légitime',
    withdrawal: 'Rétractation du contrat',
  },
  amount: 'Montant',
  amountDue: 'Montant dû',
  dueOn: 'Échéance',
  date: 'Date',
  method: 'Payé avec',
  bankAccount: 'Compte bancaire',
  mandate: 'Référence du mandat',
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
    invoice_sent: {
      subject: '{seller}からの請求書（お支払いのお願い）',
      body: '請求書をお送りします。オンラインで確認、ダウンロード、お支払いができます。',
      button: '請求書を確認して支払う',
    },
    invoice_reminder: {
      subject: 'リマインダー：{seller}からの請求書',
      body: '請求書のお支払期限は{date}です。すでにお支払い済みの場合は、このメールを無視してください。',
      button: '請求書を支払う',
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
    mandate_created: {
      subject: '{seller}の口座振替',
      body: '{seller}がお客様の銀行口座から引き落とすことを承認いただきました。内容の確認として、このメールを保管してください。',
    },
    cancellation_received: {
      subject: '{seller}へのお申し出を受け付けました',
      body: '次のお申し出を受け付け、手続きを行っています。このメールにボタンがある場合は、ご本人のお申し出であることをボタンで確認してください。心当たりがない場合は、このメールを無視してください。',
      button: '確認する',
    },
    cancellation_confirmed: {
      subject: '{seller}のご契約は{date}に終了します',
      body: '解約の手続きが完了しました。ご契約は{date}に終了します。',
    },
    login_code: {
      subject: '{seller}の確認コード',
      body: '保存済みのカードを使うには、支払いページでこのコードを入力してください。有効期限は10分です。心当たりがない場合は、このメールを無視してください。',
    },
  },
  held: 'ありがとうございます。金額はカードで確保され、後日引き落とされます。',
  test: 'これはテストです。実際の引き落としはありません。',
  updateCard: 'カードを更新',
  code: 'コード',
  contract: '契約',
  received: '受付日時',
  declaration: 'お申し出',
  declarations: {
    cancellation: '期間終了時の解約',
    extraordinary: '重大な理由による解約',
    withdrawal: '契約の撤回',
  },
  amount: '金額',
  amountDue: '未払い額',
  dueOn: '支払期限',
  date: '日付',
  method: 'お支払い方法',
  bankAccount: '銀行口座',
  mandate: '承認番号',
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
    invoice_sent: {
      subject: 'فاتورتك من {seller}: يرجى الدفع',
      body: 'هذه فاتورتك. يمكنك عرضها وتنزيلها ودفعها عبر الإنترنت.',
      button: 'عرض الفاتورة ودفعها',
    },
    invoice_reminder: {
      subject: 'تذكير: فاتورتك من {seller}',
      body: 'تستحق فاتورتك في {date}. إذا كنت قد دفعتها بالفعل، فيمكنك تجاهل هذه الرسالة.',
      button: 'دفع الفاتورة',
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
    mandate_created: {
      subject: 'الخصم المباشر لدى {seller}',
      body: 'لقد فوّضت {seller} بالخصم من حسابك المصرفي. احتفظ بهذه الرسالة، فهي تؤكد التفاصيل.',
    },
    cancellation_received: {
      subject: 'تم استلام طلبك لدى {seller}',
      body: 'استلمنا هذا الطلب ونعالجه. إذا احتوت هذه الرسالة على زر، فأكّد به أن الطلب منك ليسري دون تأخير. إذا لم ترسله، فتجاهل هذه الرسالة.',
      button: 'تأكيد',
    },
    cancellation_confirmed: {
      subject: 'ينتهي اشتراكك لدى {seller} في {date}',
      body: 'عالجنا إلغاءك. ينتهي اشتراكك في {date}.',
    },
    login_code: {
      subject: 'رمزك لدى {seller}',
      body: 'أدخل هذا الرمز في صفحة الدفع لاستخدام بطاقاتك المحفوظة. الرمز صالح لمدة عشر دقائق. إذا لم تطلبه، فتجاهل هذه الرسالة.',
    },
  },
  held: 'شكرًا لك. المبلغ محجوز على بطاقتك وسيُخصم لاحقًا.',
  test: 'كان هذا اختبارًا. لم يتم تحويل أي أموال.',
  updateCard: 'تحديث البطاقة',
  code: 'الرمز',
  contract: 'العقد',
  received: 'وقت الاستلام',
  declaration: 'الطلب',
  declarations: {
    cancellation: 'إلغاء في نهاية الفترة',
    extraordinary: 'إلغاء استثنائي',
    withdrawal: 'انسحاب من العقد',
  },
  amount: 'المبلغ',
  amountDue: 'المبلغ المستحق',
  dueOn: 'تاريخ الاستحقاق',
  date: 'التاريخ',
  method: 'تم الدفع بواسطة',
  bankAccount: 'الحساب المصرفي',
  mandate: 'مرجع التفويض',
  reference: 'المرجع',
  invoice: 'الفاتورة',
  statement: 'في كشف حسابك',
}

export const languages: { readonly [language: string]: Texts } = { en, de, es, fr, ja, ar }
