//! Speaks the line protocol of provider-program.ts for Rust's OFREP provider.

use open_feature::{EvaluationContext, EvaluationContextFieldValue, OpenFeature};
use open_feature_ofrep::{OfrepOptions, OfrepProvider};
use serde_json::{Value, json};
use std::io::{BufRead, stdin};

/// None for null and for a list, which a context of this SDK cannot hold.
fn field(value: &Value) -> Option<EvaluationContextFieldValue> {
    match value {
        Value::Bool(held) => Some((*held).into()),
        Value::Number(held) if held.is_i64() => held.as_i64().map(Into::into),
        Value::Number(held) => held.as_f64().map(Into::into),
        Value::String(held) => Some(held.as_str().into()),
        Value::Object(held) => Some(EvaluationContextFieldValue::new_struct(held.clone())),
        Value::Null | Value::Array(_) => None,
    }
}

fn context(fields: &Value) -> EvaluationContext {
    let mut context = EvaluationContext::default();
    for (name, value) in fields.as_object().into_iter().flatten() {
        if let (true, Some(key)) = (name == "targetingKey", value.as_str()) {
            context = context.with_targeting_key(key);
        } else if let Some(held) = field(value) {
            context = context.with_custom_field(name, held);
        }
    }
    context
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut lines = stdin().lock().lines();
    let connection: Value = serde_json::from_str(&lines.next().ok_or("no connection")??)?;
    let base_url = connection["ofrep"].as_str().ok_or("no base URL")?.to_string();
    let options = OfrepOptions { base_url, ..OfrepOptions::default() };
    let mut api = OpenFeature::default();
    api.set_provider(OfrepProvider::new(options).await?).await;
    let client = api.create_client();
    println!("{}", json!({ "ready": true }));
    for line in lines {
        let asked: Value = serde_json::from_str(&line?)?;
        let flag = asked["flag"].as_str().ok_or("no flag")?;
        let fallback = asked["fallback"].as_bool().ok_or("no fallback")?;
        let answer = match client.get_bool_details(flag, Some(&context(&asked["context"])), None).await {
            Ok(details) => json!({ "value": details.value, "variant": details.variant, "error": null }),
            Err(error) => json!({ "value": fallback, "variant": null, "error": format!("{error:?}") }),
        };
        println!("{answer}");
    }
    Ok(())
}
