/**
 * Bodies with which signup endpoints and form services answer a 2xx, as their documentation or their public source has
 * them, collected before the rule that reads them was written: whether somebody who reads the body would thank the
 * visitor, the source, and the body. The rule misreads those with a `!`: only their words, or a number of their own,
 * say what they mean.
 *
 * Contact Form 7 can answer `spam`, `acceptance_missing` and `aborted` too. Beside the word, their only sign is an
 * empty `posted_data_hash`, a name of its own, and `aborted` has a filled one; an empty member is none, since a yes of
 * this table has one. No tag gets them: since version 5.6 the plugin answers a post of JSON with 415. Before, it read
 * no field of one, and answered `validation_failed` wherever a form requires an address.
 */
const table = `
yes | saveform.io/docs/response-format | {"success":true,"message":"Submission received successfully"}
yes | formward.eu/docs/ajax | {"ok":true,"id":"clxyz123"}
yes | dmeditors.com/doc/api/forms | {"data":{"id":"01H","message":"Thanks — we’ll be in touch soon."},"error":null}
yes | docs.moosend.com, add a subscriber | {"Code":0,"Error":null,"Context":{"ID":"a1","Email":"ada@example.com"}}
no | docs.moosend.com, add a subscriber | {"Code":412,"Error":"INVALID_EMAIL","Context":null}
yes | dev.responder.co.il/lists/subscribers/post | {"SUBSCRIBERS_CREATED":[123],"EMAILS_INVALID":[],"ERRORS":[]}
no! | dev.responder.co.il/lists/subscribers/post | {"SUBSCRIBERS_CREATED":[],"EMAILS_INVALID":["ada@"],"ERRORS":[]}
yes | docs.enotifiers.com/add-sub | {"status":"success","code":"200","message":"Subscriber added successfully"}
no | docs.enotifiers.com/add-sub | {"status":"failed","code":"400","message":"Duplicate email"}
yes | my.endrop.com, Subscriber.Subscribe | {"Success":true,"SubscriberID":42,"RedirectURL":"https://a.example"}
no | my.endrop.com, Subscriber.Subscribe | {"Success":false,"ErrorCode":5}
yes | sendy.co/api | true
no! | sendy.co/api | Invalid email address.
yes | electrictoolbox.com/sendy-subscribe-api-responses | Already subscribed.
no! | phpList/phplist3#432 | FAIL
yes | mintlify.com/Jerimonski/KiotoTeteria_Backend | {"id":42,"email":"ada@example.com","isActive":true}
yes | docs.justanotheruptime.com | {"id":"123e","email":"ada@example.com","active":true,"unsubscribedAt":null}
yes | dev-docs-jubiloop-ca.pages.dev | {"data":null,"messages":[{"title":"Successfully subscribed."}]}
no | wo-amlangwang/Sulife-server, subscribe.php | {"status":"error","error":"invalid_email"}
no | JovenneNaldreySapuay/send-form-jquery-ajax | {"success":false,"errors":{"email":"Email is required."}}
yes | afnan2710/EmpowerHUB | {"status":"exists","message":"You are already subscribed!"}
no | coder-dipesh/artisanecho | {"status":"error","message":"Please enter a valid email address."}
yes | kranthikumar92/airdroop | Success
no! | kranthikumar92/airdroop | Error: INSERT INTO subscribers (email) VALUES (1)<br>No such table
yes | cjconnor24/OutdoorCentre | [["Your email address was added to mailing list."]]
no | HHS/simpler-grants-gov#11064 | {"success":false,"errorCode":"alreadySubscribed"}
no | HHS/simpler-grants-gov#11064, Mailchimp | {"new_members":[],"errors":[{"error_code":"ERROR"}],"error_count":1}
yes | miguelavaqrod/bolt-newsletter-subscription | 0
no! | miguelavaqrod/bolt-newsletter-subscription | 99
no | an adapter of Elementor Pro | {"success":false,"data":{"message":"Sorry.","errors":{"email":"No."},"data":[]}}
yes | rocklobster-in/contact-form-7 | {"contact_form_id":12,"status":"mail_sent","message":"Thanks."}
no | rocklobster-in/contact-form-7 | {"status":"validation_failed","invalid_fields":[{"field":"a"}]}
yes | formforgewp.com, submissions | {"success":true,"data":{"message":"Thank you!","redirect":"","submission_id":42}}
no | l2interactive.github.io/formhelper | {"status":"ERROR","errors":[{"code":"incomplete","params":["email"]}]}
no | zoho.com/salesiq, form_error | {"type":"form_error","text":"Sorry.","inputs":{"email":"Not an address."}}
yes! | misterhaan, mdAjax | {"fail":false}
no | a JSON library with filter_failure | {"status":"failure","result":"No such list."}
no | codcompass.com, Google Apps Script | {"status":"rejected","error":"Missing required fields: contactAddress"}
yes | developers.gms.net, email/subscribe | {"status":"Success"}
no | developers.gms.net, email/subscribe | {"status":"Error","code":0,"message":"Wrong sender."}
`;

export interface ForeignAnswer {
  readonly source: string;
  readonly body: string;
  /** What the rule says; what people would is the opposite if it misreads. */
  readonly isYes: boolean;
  readonly isMisread: boolean;
}

export const foreignAnswers: readonly ForeignAnswer[] = table
  .trim()
  .split('\n')
  .map((line) => line.split(' | '))
  .map(([mark = '', source = '', body = '']) => {
    const isMisread = mark.endsWith('!');
    return { source, body, isMisread, isYes: mark.startsWith('yes') !== isMisread };
  });
