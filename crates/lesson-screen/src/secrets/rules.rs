//! The shapes of the tokens that providers give out: what each is called, how it is written, and
//! whose documents say so.
//!
//! A shape is literal text with runs in braces: a class of bytes, a length or a range of lengths
//! (`{a36}`, `{w20,}`), and `?` where the run has to look random, since words follow the same
//! prefix as well. The classes are those of [`Class`](super::shape::Class): `a` letters and digits,
//! `u` capitals and digits, `l` small letters and digits, `h` hexadecimal digits, `d` digits,
//! `w` letters, digits, `-` and `_`, `b` base64, `s` base64 and base64url with dots and `~`,
//! `p` a path. The longest literal is searched for, so each shape has one of two bytes or more.

/// A kind of token: its label, and its shapes.
pub(super) struct Rule {
    pub label: &'static str,
    pub shapes: &'static [&'static str],
}

const fn rule(label: &'static str, shapes: &'static [&'static str]) -> Rule {
    Rule { label, shapes }
}

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    // This product: the documentation of `MadeAgentKey`.
    rule("lessonloop agent key", &["llk_{h16,}"]),
    // Cloud providers: docs.aws.amazon.com (IAM identifiers, unique ID prefixes; Bedrock API keys;
    // MWS), cloud.google.com (API keys, OAuth client secrets and tokens), learn.microsoft.com
    // (Entra client secrets, Azure storage, the signature that Azure's keys carry).
    rule("aws access key", &["AKIA{u16}", "ASIA{u16}", "ABIA{u16}", "ACCA{u16}", "A3T{u17}"]),
    rule("aws bedrock key", &["ABSK{b60,}", "bedrock-api-key-{b30,}"]),
    rule("amazon mws token", &["amzn.mws.{w30,}"]),
    rule("amazon oauth secret", &["amzn1.oa2-cs.v1.{h40,}", "Atza|{s60,}", "Atzr|{s60,}"]),
    rule("google api key", &["AIza{w35,}", "AQ.Ab{w30,}", "GOOG1E{u50,}", "AAAA{w7}:APA91b{w100,}"]),
    rule("google oauth secret", &["GOCSPX-{w20,}"]),
    rule("google access token", &["ya29.{s20,}"]),
    rule("google refresh token", &["1//0{w30,}"]),
    rule("azure client secret", &["{s3,4}Q~{s31,}"]),
    rule("azure key", &["{a52}JQQJ99{a26,}", "{a72,80}AZDO{a4}"]),
    rule("alibaba access key", &["LTAI{a12,}?"]),
    rule("volcengine access key", &["AKLT{a20,}"]),
    rule("tencent secret id", &["AKID{a32,}"]),
    rule("yandex cloud key", &["AQVN{w30,}", "YCAJE{w18,}", "YCM{w36,}?", "y0_{w40,}?", "t1.9eu{s60,}"]),
    rule("ibm cloud key", &["ApiKey-{w20,}?"]),
    rule("digitalocean token", &["dop_v1_{h64}", "doo_v1_{h64}", "dor_v1_{h64}"]),
    rule("scaleway key", &["SCW{u17}"]),
    rule("ovh token", &["ovh_{a20,}?"]),
    rule("heroku key", &["HRKU-{w30,}"]),
    rule("fly token", &["fo1_{w30,}", "fm1_{b40,}", "fm2_{b40,}", "fm1r_{b40,}", "fm1a_{b40,}"]),
    rule("vercel token", &[
        "vcp_{a20,}", "vci_{a20,}", "vca_{a20,}", "vcr_{a20,}", "vck_{a20,}", "vercel_blob_rw_{w20,}",
    ]),
    rule("netlify token", &["nfp_{a30,}", "nfc_{a30,}", "nfo_{a30,}", "nfu_{a30,}", "nfb_{a30,}"]),
    rule("cloudflare key", &["v1.0-{h24}-{h100,}", "cfut_{w30,}", "cfat_{w30,}", "cfk_{w30,}"]),
    rule("render key", &["rnd_{a20,}"]),
    rule("railway token", &["railway_{w24,}?"]),
    rule("hetzner token", &["hcloud_{a30,}"]),
    // Code hosts and package registries: docs.github.com and github.blog (token formats),
    // docs.gitlab.com (token prefixes), docs.npmjs.com, pypi.org/help, guides.rubygems.org,
    // doc.rust-lang.org, docs.docker.com, developer.atlassian.com.
    rule("github token", &[
        "ghp_{a30,}", "gho_{a30,}", "ghu_{a30,}", "ghs_{s30,}", "ghr_{a30,}", "github_pat_{w22,}",
    ]),
    rule("gitlab token", &[
        "glpat-{s20,}", "gldt-{w20,}", "glrt-{s20,}", "glrtr-{s20,}", "glcbt-{s20,}", "glptt-{w20,}",
        "glft-{w20,}", "glimt-{w20,}", "glagent-{w20,}", "gloas-{w20,}", "glsoat-{w20,}", "glffct-{w20,}",
        "glwt-{w20,}", "GR1348941{w20}", "_gitlab_session={h32}",
    ]),
    rule("bitbucket token", &["ATBB{w28,}", "ATCTT3x{s60,}"]),
    rule("atlassian token", &["ATATT3x{s40,}", "ATSTT3x{s40,}", "ATOA{s60,}"]),
    rule("npm token", &["npm_{a36}"]),
    rule("pypi token", &["pypi-{w50,}"]),
    rule("rubygems key", &["rubygems_{h48}"]),
    rule("crates.io token", &["cio{a32}"]),
    rule("nuget key", &["oy2{l43}"]),
    rule("docker token", &["dckr_pat_{w20,}", "dckr_oat_{w20,}"]),
    rule("jfrog token", &["AKCp{a60,}", "cmVmdGtu{a50,}"]),
    rule("clojars token", &["CLOJARS_{h60}"]),
    rule("build service token", &[
        "bkaj_{a20,}", "depot_org_{h64}", "depot_project_{h64}", "packagist_ort_{h60,}", "packagist_uut_{h60,}", "rootly_{h64}", "sm_pat_{a16}", "sm_aat_{a16}",
        "sm_sat_{a16}", "ucat_{u26}", "akab-{a16,}-{a16,}", "dt0s01.{u8,24}.{u64}", "dt0s16.{u8,24}.{u64}",
        "sqa_{h40}", "sqp_{h40}", "squ_{h40}", "tk-us-{w48}", "VF.DM.{h24}.{a16,}", "prod:{w3,}|{b40,}", "dev:{w3,}|{b40,}", "production.{h60,}", "development.{h60,}",
        "CCIPAT_{w20,}", "CCIPRJ_{w20,}", "bkua_{h40}", "bkct_{w20,}", "dt0c01.{u24}.{u64}",
    ]),
    rule("sourcegraph token", &["sgp_{w40,}", "slk_{h64}"]),
    // Chat: api.slack.com (token types), core.telegram.org, discord.com/developers,
    // learn.microsoft.com (Teams webhooks), zapier.com.
    rule("slack token", &[
        "xoxb-{w16,}", "xoxp-{w16,}", "xoxa-{w16,}", "xoxs-{w16,}", "xoxr-{w16,}", "xoxo-{w16,}",
        "xoxc-{w16,}", "xoxd-{s16,}", "xoxe-{w16,}", "xoxe.xoxb-{w16,}", "xoxe.xoxp-{w16,}", "xapp-{w16,}",
        "xwfp-{w16,}",
    ]),
    rule("webhook address", &[
        "hooks.slack.com/services/{p20,}", "hooks.slack.com/workflows/{p20,}",
        "hooks.slack.com/triggers/{p20,}", "/api/webhooks/{d17,20}/{w60,}",
        "webhook.office.com/webhookb2/{s30,}/IncomingWebhook/{p30,}",
        "outlook.office.com/webhook/{s30,}/IncomingWebhook/{p30,}", "hooks.zapier.com/hooks/catch/{p10,}",
        "maker.ifttt.com/use/{w20,}", "hook.eu1.make.com/{a20,}", "hook.us1.make.com/{a20,}",
        "open.feishu.cn/open-apis/bot/v2/hook/{w30,}", "qyapi.weixin.qq.com/cgi-bin/webhook/send?key={w30,}",
    ]),
    rule("telegram bot token", &["{d8,10}:AA{w32,}", "bot{d8,10}:AA{w32,}"]),
    // Models: platform.openai.com, docs.anthropic.com, huggingface.co, console.groq.com and the
    // other providers' pages on authentication.
    rule("api key", &[
        "sk-{w20,}?", "gsk_{a40,}", "xai-{a40,}", "pplx-{a40,}", "fw_{a20,}?", "tgp_v1_{w30,}", "csk-{l30,}",
        "nvapi-{w40,}", "r8_{a30,}", "jina_{a40,}", "pcsk_{w40,}", "voy-{w20,}?", "pa-{w40,}?", "ls__{h32}",
        "lsv2_pt_{w32,}", "lsv2_sk_{w32,}", "tvly-{w20,}?", "fc-{h32}", "esecret_{w20,}", "rpa_{u40,}",
        "sess-{a30,}?",
    ]),
    rule("hugging face token", &["hf_{a30,}", "api_org_{a30,}"]),
    rule("weights and biases key", &["wandb_v1_{w30,}"]),
    // Payment and shops: docs.stripe.com, developer.squareup.com, shopify.dev, developer.paypal.com,
    // razorpay.com/docs, plaid.com/docs.
    rule("stripe key", &[
        "sk_live_{b16,}", "rk_live_{a16,}", "sk_test_{b16,}", "rk_test_{a16,}", "sk_org_{a16,}",
    ]),
    rule("stripe webhook secret", &["whsec_{b24,}"]),
    rule("square token", &["sq0atp-{w22,}", "sq0csp-{w40,}", "sq0idp-{w22,}", "EAAA{w56,}", "EAAAE{w50,}"]),
    rule("shopify token", &[
        "shpat_{h32}", "shpca_{h32}", "shppa_{h32}", "shpss_{h32}", "shpua_{h32}", "shptka_{h32}",
    ]),
    rule("paypal token", &["access_token$production${l16}${h32}", "access_token$sandbox${l16}${h32}"]),
    rule("razorpay key", &["rzp_live_{a14,}", "rzp_test_{a14,}"]),
    rule("plaid token", &["access-production-{w36}", "access-sandbox-{w36}", "access-development-{w36}"]),
    rule("payment key", &[
        "ak_live_{a30}", "ak_test_{a30}", "sk_sbox_{l20,}", "pi_{a20,}_secret_{a20,}", "seti_{a20,}_secret_{a20,}",
        "pdl_live_apikey_{w40,}", "pdl_sdbx_apikey_{w40,}", "sk_{a24,}?",
        "FLWSECK_TEST-{a12,}", "FLWSECK-{a20,}", "live_{w30,}?", "test_{w30,}?", "EZAK{a54}", "EZTK{a54}",
        "shippo_live_{h40}", "shippo_test_{h40}", "lip_sk_{a16,}", "sk_prod_{a16,}", "AQE{b60,}",
    ]),
    rule("facebook token", &["EAA{a80,}", "IGAA{w60,}", "EAACEdEose0cBA{a20,}", "EAAB{a60,}", "EAAG{a60,}", "IGQV{w60,}"]),
    rule("twitter bearer token", &["AAAAAAAAAAAAAAAAAAAA{s60,}"]),
    rule("lichess token", &["lip_{a20,}?"]),
    // Mail and telephone: twilio.com/docs, docs.sendgrid.com, documentation.mailgun.com,
    // mailchimp.com/developer, developers.brevo.com.
    rule("twilio key", &["SK{h32}"]),
    rule("sendgrid key", &["SG.{w16,}.{w30,}"]),
    rule("mailgun key", &["key-{h32}", "key-{w32}?", "pubkey-{h32}"]),
    rule("mailchimp key", &["{h32}-us{d1,2}"]),
    rule("brevo key", &["xkeysib-{h64}-{a16}", "xsmtpsib-{h64}-{a16}"]),
    rule("resend key", &["re_{w24,}?"]),
    rule("mailersend key", &["mlsn.{h64}"]),
    rule("mandrill key", &["md-{w22}?"]),
    rule("discord token", &["mfa.{w80,}"]),
    rule("intercom key", &["dG9rO{b50,}"]),
    // Databases and stores of secrets: supabase.com/docs, docs.databricks.com, developer.hashicorp.com,
    // docs.doppler.com, planetscale.com/docs, developer.1password.com, infisical.com/docs, pulumi.com.
    rule("supabase token", &["sbp_{h40}", "sbp_oauth_{h40}", "sbp_v0_{h40}"]),
    rule("supabase secret key", &["sb_secret_{w20,}"]),
    rule("databricks token", &["dapi{h32}", "dkea{h32}", "dose{h32}"]),
    rule("vault token", &["hvs.{w20,}", "hvb.{w20,}", "hvr.{w20,}", "s.{a24}?"]),
    rule("terraform token", &["{a14}.atlasv1.{s60,}"]),
    rule("doppler token", &[
        "dp.pt.{a30,}", "dp.st.{s30,}", "dp.ct.{a30,}", "dp.sa.{a30,}", "dp.scim.{a30,}", "dp.audit.{a30,}",
    ]),
    rule("planetscale token", &["pscale_tkn_{s30,}", "pscale_oauth_{s30,}", "pscale_pw_{s30,}"]),
    rule("node address", &["alchemy.com/v2/{w32}", "infura.io/v3/{h32}"]),
    rule("1password token", &[
        "ops_ey{b60,}", "A3-{u6}-{u11}-{u5}-{u5}-{u5}", "A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}",
    ]),
    rule("bitwarden token", &["0.{h8}-{h4}-{h4}-{h4}-{h12}.{a30}:{b24}"]),
    rule("pulumi token", &["pul-{h40}"]),
    rule("infisical token", &["st.{h20,}.{h20,}"]),
    rule("database token", &[
        "SUA{u55}", "SAA{u55}", "SOA{u55}", "LS0tLS1CRUdJTiBSU0Eg{b60,}", "LS0tLS1CRUdJTiBQUklW{b60,}",
        "LS0tLS1CRUdJTiBFQyBQ{b60,}", "LS0tLS1CRUdJTiBPUEVO{b60,}", "v2.local.{w60,}", "v4.local.{w60,}",
        "nbp_{a36}", "K10{h64}::server:{h32}", "K10{h64}::node:{h32}",
        "napi_{l50,}", "AstraCS:{a24}:{h64}", "ory_at_{w40,}", "ory_pat_{w30,}", "essu_{b40,}", "xau_{a36,}",
        "mdb_sa_sk_{w40}", "mdb_sa_id_{h24}", "tskey-auth-{w16,}", "tskey-api-{w16,}", "tskey-client-{w16,}",
        "tskey-webhook-{w16,}",
    ]),
    // Watching: grafana.com/docs, docs.sentry.io, docs.newrelic.com, docs.datadoghq.com,
    // docs.dynatrace.com, docs.honeycomb.io, posthog.com/docs.
    rule("grafana token", &["glsa_{a32}_{h8}", "glc_{b32,}", "eyJrIjoi{b60,}"]),
    rule("sentry token", &["sntrys_{s60,}", "sntryu_{h64}", "sntrya_{h64}", "sntryi_{h60,}"]),
    rule("new relic key", &[
        "NRAK-{u27}", "NRII-{w32}", "NRJS-{h19}", "NRAA-{h27}", "NRSP-{w20,}", "{h36}NRAL", "{h30}FFFFNRAL",
    ]),
    rule("datadog key", &["ddapp_{a30,}", "ddpat_{a30,}", "pub{h32}"]),
    rule("honeycomb key", &["hcaik_{l58}", "hcxik_{l58}", "hcamk_{l20,}", "hcbik_{l20,}"]),
    rule("posthog key", &["phx_{a40,}", "phs_{a40,}"]),
    rule("monitoring key", &[
        "u+{w18}", "hbp_{a36}",
        "pylf_v1_{w20,}", "SWMTKN-1-{l50}-{l25}", "xaat-{w36}", "tk_{l29}?", "NRIQ-{w32}", "sk-lf-{w36}",
    ]),
    // Work: linear.app, developers.notion.com, figma.com, learning.postman.com, airtable.com,
    // developers.hubspot.com, developer.typeform.com, contentful.com.
    rule("linear token", &["lin_api_{a32,}", "lin_oauth_{h64}", "lin_wh_{a32,}"]),
    rule("notion token", &["secret_{a43}", "ntn_{a40,}"]),
    rule("figma token", &["figd_{w36,}", "figu_{w36,}", "figo_{w36,}", "figoh_{w36,}", "figor_{w36,}"]),
    rule("postman key", &["PMAK-{h24}-{h34}", "PMAT-{a20,}"]),
    rule("airtable token", &["pat{a14}.{h64}"]),
    rule("hubspot token", &["pat-na1-{w36}", "pat-na2-{w36}", "pat-eu1-{w36}", "pat-ap1-{w36}"]),
    rule("typeform token", &["tfp_{s40,}"]),
    rule("contentful token", &["CFPAT-{w40,}"]),
    rule("work token", &[
        "1/{d16}:{h32}", "2/{d16}/{d16}:{h32}", "APP_USR-{d16}-{d6}-{h32}-{d6,}", "{a6}_{a29}_mmk", "sk{a170,190}",
        "KEY{u32}_{a22}", "secret-live-{w30,}", "secret-test-{w30,}", "key_live_{a32}", "secret_live_{a32}",
        "secret_test_{a32}", "ser.{a22}?", "00D{a12,15}!{s60,}", "5Aep861{s60,}", "sec-c-{w30,}", "jca_{w30,}",
        "aio_{a28}", "sl.{s60,}", "s-s4t2ud-{h64}", "s-s4t2af-{h64}", "userflow_ct_{l32}", "1000.{h32}.{h32}", "oauth:{l30}",
        "pk_{d6,9}_{u32}", "duffel_live_{w43}", "duffel_test_{w43}", "fio-u-{w60,}", "rdme_{l70}",
        "dnkey-{w20,}", "ATTA{h60,}", "cal_live_{h32}", "zpka_{l30,}", "pnu_{a36}", "pnb_{a36}",
        "apify_api_{w30,}", "unkey_{a20,}", "tr_prod_{w20,}", "tr_dev_{w20,}", "p8e-{l32}", "API-{u26,}",
    ]),
    rule("launchdarkly key", &[
        "sdk-{h8}-{h4}-{h4}-{h4}-{h12}", "mob-{h8}-{h4}-{h4}-{h4}-{h12}", "api-{h8}-{h4}-{h4}-{h4}-{h12}",
    ]),
    rule("mapbox token", &["sk.eyJ{w40,}.{w20,}", "tk.eyJ{w40,}.{w20,}"]),
    rule("okta token", &["SSWS {w40,}"]),
    // Keys by themselves: age (C2SP), minisign, Bitcoin (BIP-32), WireGuard is told by its names.
    rule("age key", &["AGE-SECRET-KEY-1{u50,}", "AGE-SECRET-KEY-PQ-1{u58,}", "AGE-PLUGIN-{w3,20}-1{u20,}"]),
    rule("minisign key", &["RWRTY0Iy{b40,}"]),
    rule("wallet key", &["xprv{a100,}", "yprv{a100,}", "zprv{a100,}", "tprv{a100,}", "nsec1{l58}"]),
];
