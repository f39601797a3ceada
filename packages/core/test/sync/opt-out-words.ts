/** What people write into the opt-out field of a CRM, in more than twenty languages: each is a no. */
const text = `
Ja | Abgemeldet | Gesperrt | keine Werbung | Widerruf | nicht anschreiben | Verzicht | WAHR | Kündigung
will keine Post mehr | Oui | Désabonné | Désinscrit | ne pas contacter | refus | opposition | VRAI | liste rouge
plus de courrier | radié | Résilié | Sí | Dado de baja | Baja | no contactar | rechaza | VERDADERO | cancelado
bloqueado | revocado | no enviar | Cancellato | Disiscritto | revoca | rifiuta | non contattare | VERO
bloccato | opposto | niente posta | disdetta | Sim | Descadastrado | removido | não contatar | recusou
VERDADEIRO | saiu da lista | cancelou | bloqueio | sem e-mails | Afgemeld | Uitgeschreven | niet mailen
geblokkeerd | ingetrokken | WAAR | geen post | opgezegd | bezwaar | verwijderd | Wypisany | Tak | zrezygnował
nie wysyłać | zablokowany | cofnięta zgoda | PRAWDA | sprzeciw | odmowa | usunięty | Odhlášen | Ano
nekontaktovat | zablokováno | odvolal | odmítl | neposílat | PRAVDA | zrušeno | vyřazen | Avregistrerad
skicka inte | spärrad | återkallat | SANT | avböjt | inga utskick | uppsagd | borttagen | nej tack till post
Afmeldt | send ikke | spærret | trukket tilbage | SAND | afslået | ingen mails | opsagt | fjernet | Meldt av
ikke kontakt | sperret | trukket samtykke | avslått | ingen e-post | sagt opp | slettet | reservert | Peruutettu
Kyllä | ei saa lähettää | estetty | kieltäytyi | TOSI | poistettu | irtisanottu | suoramarkkinointikielto
Leiratkozott | Igen | ne küldj | letiltva | visszavonva | IGAZ | elutasította | törölve | lemondta | Отписан
Да | не писать | заблокирован | отозвано | ИСТИНА | отказ | удалён | не беспокоить | Відписано | Так
не турбувати | заблоковано | відкликано | відмова | видалено | Διαγράφηκε | Ναι | μην στείλετε | αποκλεισμένος
ανακλήθηκε | άρνηση | ΑΛΗΘΗΣ | Abonelikten çıktı | Evet | gönderme | engellendi | geri çekildi | DOĞRU
reddetti | silindi | 退会済み | はい | 配信停止 | 拒否 | ブロック | 解除 | 送らないで | 已退订 | 是 | 拉黑 | 不要发送 | 已拒绝 | 取消订阅 | 수신거부 | 예
차단 | 해지 | 거절 | Dezabonat | nu trimite | blocat | retras | ADEVĂRAT | refuz | șters | anulat | fără poștă
Odjavljen | ne šalji | blokirano | povučeno | odbio | uklonjen | otkazano | bez pošte | prigovor | Odhlásený
أُلغي الاشتراك | نعم | لا ترسل | محظور | الرفض | הוסר | כן | לא לשלוח | חסום | ביטול | ✔ | ☑ | STOP | xx`;

/** Two hundred values. */
export const optOutWords: readonly string[] = text.split(/[|\n]/).flatMap((word) => word.trim() || []);
