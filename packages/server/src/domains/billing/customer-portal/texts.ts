/** The UI text of the page on which a customer replaces their card, in the languages of the payment page. */
export type CardPageTexts = {
  readonly title: string
  readonly text: string
  readonly button: string
  readonly stored: string
  readonly test: string
}

export const cardPageLanguages = {
  en: {
    title: 'Update your card',
    text: 'Enter a new card for your subscriptions. If a payment has failed, it is charged to the new card.',
    button: 'Enter a new card',
    stored: 'Your new card is saved, and your subscriptions use it.',
    test: 'Test mode. No money is moved.',
  },
  de: {
    title: 'Karte aktualisieren',
    text: 'Geben Sie eine neue Karte für Ihre Abonnements ein. Eine fehlgeschlagene Zahlung wird mit der neuen Karte abgebucht.',
    button: 'Neue Karte eingeben',
    stored: 'Ihre neue Karte ist gespeichert und wird für Ihre Abonnements verwendet.',
    test: 'Testmodus. Es wird kein Geld bewegt.',
  },
  es: {
    title: 'Actualizar su tarjeta',
    text: 'Introduzca una tarjeta nueva para sus suscripciones. Si un pago ha fallado, se cobrará en la tarjeta nueva.',
    button: 'Introducir una tarjeta nueva',
    stored: 'Su tarjeta nueva está guardada y se usa para sus suscripciones.',
    test: 'Modo de prueba. No se mueve dinero.',
  },
  fr: {
    title: 'Mettre à jour votre carte',
    text: 'Saisissez une nouvelle carte pour vos abonnements. Si un paiement a échoué, il sera débité sur la nouvelle carte.',
    button: 'Saisir une nouvelle carte',
    stored: 'Votre nouvelle carte est enregistrée et utilisée pour vos abonnements.',
    test: 'Mode test. Aucun argent n’est débité.',
  },
  ja: {
    title: 'カードの更新',
    text: 'サブスクリプションに使用する新しいカードを入力してください。失敗したお支払いは新しいカードに請求されます。',
    button: '新しいカードを入力',
    stored: '新しいカードが保存され、サブスクリプションに使用されます。',
    test: 'テストモードです。実際の引き落としはありません。',
  },
  ar: {
    title: 'تحديث بطاقتك',
    text: 'أدخل بطاقة جديدة لاشتراكاتك. إذا فشلت دفعة، فسيتم خصمها من البطاقة الجديدة.',
    button: 'إدخال بطاقة جديدة',
    stored: 'تم حفظ بطاقتك الجديدة وتُستخدم لاشتراكاتك.',
    test: 'وضع الاختبار. لا يتم تحويل أي أموال.',
  },
} as const satisfies { readonly [language: string]: CardPageTexts }
